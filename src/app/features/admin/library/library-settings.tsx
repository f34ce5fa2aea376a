import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { createForm, readRefusal, useForm } from '#app/ui/form/form.ts';
import { TextField } from '#app/ui/form/text-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Resource, resourceFace } from '#app/ui/resource.ts';
import { countText, spanText } from '#app/ui/texts.ts';
import { readFolderChannels, updateConfig, updateFolderChannels } from '#contract/endpoints.ts';
import type { FolderChannels } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkSwitchInterval } from '#contract/rules/settings.ts';
import { now } from '#device/timers.ts';
import shared from '../section.module.css';
import styles from './library-section.module.css';

/** The playing time after which each quadrant switches to another video. */
export function IntervalCard() {
  const { state, field, formProps } = useForm(intervalForm);
  const { switchIntervalSeconds } = useSnapshot(siteConfig);
  const { isReachable } = useSnapshot(connection);
  const { isShown } = useSnapshot(intervalSaved);
  useEffect(openIntervalForm, []);
  return (
    <Card title="Switch interval">
      <form {...formProps} className={shared.lines}>
        <p className={shared.quiet}>{`Now ${spanText(switchIntervalSeconds)} of playing time`}</p>
        <TextField
          label="Switch after"
          inputMode="numeric"
          autoComplete="off"
          hint={`${limits.switchIntervalMinSeconds} to ${limits.switchIntervalMaxSeconds} seconds`}
          {...field('seconds')}
        />
        <div className={shared.buttons}>
          <Button
            kind="tonal"
            submits
            label={state.isBusy ? 'Saving...' : 'Save'}
            isDisabled={state.isBusy || !isReachable}
          />
        </div>
        <Notice notice={outcomeOf(state.refusal, isShown)} />
      </form>
    </Card>
  );
}

function outcomeOf(refusal: string | null, isSaved: boolean): { kind: 'ok' | 'danger'; sentence: string } | null {
  if (refusal !== null) return { kind: 'danger', sentence: refusal };
  return isSaved ? { kind: 'ok', sentence: 'Switch interval saved.' } : null;
}

/** Whether the form shows that its value was saved. */
export const intervalSaved = proxy({ isShown: false });

export const intervalForm = createForm<'seconds'>({
  empty: { seconds: '' },
  check: ({ seconds }) => ({ seconds: checkSwitchInterval(toNumber(seconds)) }),
  send: async ({ seconds }) => {
    intervalSaved.isShown = false;
    const body = { video_settings: { switch_interval_seconds: toNumber(seconds) } };
    const { video_settings } = await call(updateConfig, { body });
    siteConfig.switchIntervalSeconds = video_settings.switch_interval_seconds;
    intervalSaved.isShown = true;
  },
});

/** Fills the form with the current value. Returns a function that empties it. */
export function openIntervalForm(): () => void {
  intervalForm.reset({ seconds: String(siteConfig.switchIntervalSeconds) });
  return () => {
    intervalForm.reset();
    intervalSaved.isShown = false;
  };
}

/** Parses a number. An empty field gives NaN, where `Number` would give 0. */
function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

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
