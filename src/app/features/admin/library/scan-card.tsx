import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Bar } from '#app/ui/bar.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { countText } from '#app/ui/count-text.ts';
import { spanText } from '#app/ui/elapsed-text.ts';
import type { LibraryScan } from '#contract/entities/library.ts';
import { Moment } from '../moment.tsx';
import shared from '../section.module.css';
import { libraryActions, rescan } from './library-store.ts';

/** The scan that is under way, or the last one. */
export function ScanCard({ scan }: { scan: LibraryScan }) {
  const { isStartingScan, scanNotice } = useSnapshot(libraryActions);
  const { isReachable } = useSnapshot(connection);
  const isBusy = isStartingScan || scan.is_running;
  return (
    <Card title="Scan">
      <div className={shared.lines}>
        {scan.is_running ? <Progress scan={scan} /> : <LastScan scan={scan} />}
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            label={isBusy ? 'Scanning...' : 'Rescan'}
            isDisabled={isBusy || !isReachable}
            onPress={() => void rescan()}
          />
        </div>
        <Notice notice={scanNotice} />
      </div>
    </Card>
  );
}

function Progress({ scan: { progress, found } }: { scan: LibraryScan }) {
  const words = [
    progress === null ? 'Looking through the folders' : `${Math.round(progress)} %`,
    ...(found === null ? [] : [`${countText(found, 'file')} found`]),
  ];
  return (
    <>
      <Bar share={progress === null ? null : progress / 100} label="Scan" />
      <p>{words.join(', ')}</p>
    </>
  );
}

function LastScan({ scan: { finished_at, duration_seconds } }: { scan: LibraryScan }) {
  if (finished_at === null) return <p className={shared.quiet}>No scan has come to its end yet.</p>;
  return (
    <p>
      The last one ended <Moment time={finished_at} />
      {duration_seconds !== null && ` and took ${spanText(duration_seconds)}`}.
    </p>
  );
}
