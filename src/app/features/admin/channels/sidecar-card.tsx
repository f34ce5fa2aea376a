import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import shared from '../section.module.css';
import { changeActions, readSidecars } from './changes-store.ts';

/** Tags of the files that downloaders leave beside videos. */
export function SidecarCard() {
  const { isStartingSidecars, sidecarNotice } = useSnapshot(changeActions);
  const { isReachable } = useSnapshot(connection);
  return (
    <Card title="Sidecar Files">
      <div className={shared.lines}>
        <p className={shared.quiet}>
          Downloaders leave files beside videos that say what is in them: <code>.nfo</code>, <code>.info.json</code> and{' '}
          <code>.json</code>. Each tag in them becomes a channel of its video.
        </p>
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            label={isStartingSidecars ? 'Starting...' : 'Read Tags from Sidecar Files'}
            isDisabled={isStartingSidecars || !isReachable}
            onPress={() => void readSidecars()}
          />
        </div>
        <Notice notice={sidecarNotice} />
      </div>
    </Card>
  );
}
