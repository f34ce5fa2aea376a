import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { Resource } from '#app/ui/resource.ts';
import { readFolderChannels, updateFolderChannels } from '#contract/endpoints.ts';
import type { FolderChannels } from '#contract/entities/tag.ts';
import * as failures from '#contract/failures.ts';

interface SwitchState {
  /** What the switch is being set to; null while nothing is being saved. */
  wanted: boolean | null;
  /** Why it could not be set. */
  refusal: string | null;
}

const atRest: SwitchState = { wanted: null, refusal: null };

export const folderSwitch = proxy<SwitchState>({ ...atRest });

/** Channels come and go in the background: their number is asked for again for a while. */
const changingMs = 20_000;
const refreshMs = 2_000;

/** Epoch milliseconds. */
let changedAt = Number.NEGATIVE_INFINITY;

export const folderChannels = new Resource<FolderChannels>({
  load: (signal) => call(readFolderChannels, { signal }),
  toSentence: failures.loadChannels,
  refreshMs: () => (now() - changedAt < changingMs ? refreshMs : null),
});

/** Whether the first folder below a root becomes a channel of its videos. */
export async function switchFolderChannels(enabled: boolean): Promise<void> {
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

/** Loads it. Returns what closes it and forgets it. */
export function openFolderChannels(): () => void {
  const close = folderChannels.open();
  return () => {
    close();
    changedAt = Number.NEGATIVE_INFINITY;
    Object.assign(folderSwitch, atRest);
  };
}
