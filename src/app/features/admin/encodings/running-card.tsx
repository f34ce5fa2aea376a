import type { Snapshot } from 'valtio';
import { Bar } from '#app/ui/bar.tsx';
import { Badge } from '#app/ui/card/badge.tsx';
import { Card } from '#app/ui/card/card.tsx';
import type { RunningEncoding } from '#contract/entities/library.ts';
import { EntryRow } from '../entry-row.tsx';
import { Since } from '../moment.tsx';
import shared from '../section.module.css';
import styles from './running-card.module.css';

/** What is encoded now. */
export function RunningCard({ running }: { running: readonly Snapshot<RunningEncoding>[] }) {
  if (running.length === 0) {
    return (
      <Card title="Running" isReadOnly>
        <p className={shared.quiet}>Nothing is encoded now.</p>
      </Card>
    );
  }
  return (
    <Card title="Running">
      <ul aria-label="Running">
        {running.map((encoding) => (
          <RunningRow key={encoding.video_id} encoding={encoding} />
        ))}
      </ul>
    </Card>
  );
}

function RunningRow({ encoding }: { encoding: Snapshot<RunningEncoding> }) {
  const { filename, progress, paused_at, yields_since } = encoding;
  return (
    <EntryRow label={<bdi>{filename}</bdi>}>
      <div className={styles.progress}>
        <Bar share={progress / 100} label={filename} />
      </div>
      <p>{`${Math.round(progress)} %`}</p>
      {paused_at !== null && (
        <p>
          <Badge words="Paused" /> while videos stall, <Since time={paused_at} />
        </p>
      )}
      {paused_at === null && yields_since !== null && (
        <p>
          <Badge words="Paused" /> while a video that somebody waits for is encoded, <Since time={yields_since} />
        </p>
      )}
    </EntryRow>
  );
}
