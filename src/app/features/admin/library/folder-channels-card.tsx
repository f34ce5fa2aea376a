import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { Card, Notice } from '#app/ui/card.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { countText } from '#app/ui/texts.ts';
import { readFolderChannels, updateFolderChannels } from '#contract/endpoints.ts';
import type { FolderChannels } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { now } from '#device/timers.ts';
import shared from '../section.module.css';
import styles from './library-section.module.css';

/** The switch that turns folders into channels, and the number of those channels. */
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

interface SwitchState {
  /** The value being saved, or null. */
  wanted: boolean | null;
  /** Why the switch could not be saved. */
  refusal: string | null;
}

const atRest: SwitchState = { wanted: null, refusal: null };

const folderSwitch = proxy<SwitchState>({ ...atRest });

/**
 * For this long after a change the number of channels is reloaded, because they change in the
 * background.
 */
const changingMs = 20_000;
const refreshMs = 2_000;

/** The time of the last change, in epoch milliseconds. */
let changedAt = Number.NEGATIVE_INFINITY;

const folderChannels = new Resource<FolderChannels>({
  load: (signal) => call(readFolderChannels, { signal }),
  toSentence: failures.loadChannels,
  refreshMs: () => (now() - changedAt < changingMs ? refreshMs : null),
});

/** Sets whether the first folder below a root becomes a channel of its videos. */
async function switchFolderChannels(enabled: boolean): Promise<void> {
  if (folderSwitch.wanted !== null) return;
  Object.assign(folderSwitch, { wanted: enabled, refusal: null });
  try {
    await call(updateFolderChannels, { body: { enabled } });
    changedAt = now();
    await folderChannels.reload();
  } catch (error) {
    folderSwitch.refusal = readRefusal(error);
  } finally {
    folderSwitch.wanted = null;
  }
}

/** Loads the number of channels. Returns a function that closes and resets it. */
function openFolderChannels(): () => void {
  const close = folderChannels.open();
  return () => {
    close();
    changedAt = Number.NEGATIVE_INFINITY;
    Object.assign(folderSwitch, atRest);
  };
}
