import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { countText } from '#app/ui/count-text.ts';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { resourceFace } from '#app/ui/resource.ts';
import { limits } from '#contract/limits.ts';
import shared from '../section.module.css';
import { folderChannels, folderSwitch, openFolderChannels, switchFolderChannels } from './folder-channels-store.ts';
import styles from './library-section.module.css';

/** Whether folders become channels, and how many have. */
export function FolderChannelsCard() {
  const state = useSnapshot(folderChannels.state);
  const { wanted, refusal } = useSnapshot(folderSwitch);
  const { isReachable } = useSnapshot(connection);
  useEffect(openFolderChannels, []);
  return (
    <Card title="Channels from folders">
      <ListBody
        face={resourceFace(state)}
        failure={state.failure}
        onRetry={() => void folderChannels.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={null}
      >
        {state.value && (
          <div className={shared.lines}>
            <CheckRow
              label="Make channels of folders"
              hint="The first folder below a library folder becomes a channel of its videos. They still need tags."
              isOn={wanted ?? state.value.enabled}
              isDisabled={wanted !== null || !isReachable}
              onChange={(isOn) => void switchFolderChannels(isOn)}
            />
            {state.value.enabled && (
              <p>{`${countText(state.value.channels, 'channel')} of ${limits.folderChannels} at most, by name`}</p>
            )}
          </div>
        )}
      </ListBody>
      <Notice notice={refusal === null ? null : { kind: 'danger', sentence: refusal }} />
    </Card>
  );
}
