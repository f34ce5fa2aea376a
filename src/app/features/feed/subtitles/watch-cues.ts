import { after } from '#app/platform/timers.ts';
import type { Player } from '#app/playback/player/player.ts';
import type { Cue } from './cues.ts';
import { cuesAt } from './cues.ts';

/** The player emits its time four times a second: what changes sooner has a timer of its own. */
const soonSeconds = 0.3;
/** Timers and the clock of a video do not agree to the millisecond. */
const lateMs = 10;

/** Reports the cues of the second on screen, whenever they change. Returns what stops it. */
export function watchCues(
  player: Pick<Player, 'position' | 'onTime'>,
  cues: readonly Cue[],
  show: (cues: readonly Cue[]) => void,
): () => void {
  let shown: readonly Cue[] = [];
  let cancel = () => {};
  const update = () => {
    const at = player.position;
    const moment = cuesAt(cues, at);
    if (!isSame(moment.cues, shown)) {
      shown = moment.cues;
      show(shown);
    }
    return moment.changesAt - at;
  };
  const onTime = () => {
    cancel();
    const seconds = update();
    // The timer sets no other: a paused video would have one after another.
    if (seconds < soonSeconds) cancel = after(seconds * 1_000 + lateMs, update);
  };
  const stop = player.onTime(onTime);
  onTime();
  return () => {
    stop();
    cancel();
  };
}

function isSame(one: readonly Cue[], other: readonly Cue[]): boolean {
  return one.length === other.length && one.every((cue, at) => cue === other[at]);
}
