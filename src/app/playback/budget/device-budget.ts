import { connectionsPerOrigin } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { readLearned, storeLearned } from './learned-device.ts';
import { MediaBudget } from './media-budget.ts';

/** One connection stays free for the calls. */
const forCalls = 1;
/** The steps down for a device that has too few decoders and does not say how many. */
const rungs = [quadrants.length, 2, 1];
const refusalsTogetherMs = 60_000;

/** Four that play, and the two that are prepared beside them. */
const allDecoders = quadrants.length + limits.preparingElements;

/**
 * What this device has, shared by quadrants, previews and the modal player. How many may sound is asked when one is to.
 */
export const mediaBudget = new MediaBudget({
  decoder: readLearned('decoders') ?? allDecoders,
  connection: connectionsPerOrigin() - forCalls,
  sound: quadrants.length,
});

/** Beside four that play there is room to prepare another one: none has to go first. */
export function hasRoomToPrepare(): boolean {
  return mediaBudget.capacityOf('decoder') > quadrants.length;
}

let lastRefusal = { url: '', at: Number.NEGATIVE_INFINITY };

/**
 * A video stalled although its data was there. Two different ones within a minute, while several were open, count as
 * too few decoders: from then on this device shows fewer at once.
 */
export function noteRefusal(url: string): void {
  const isSecond = url !== lastRefusal.url && now() - lastRefusal.at < refusalsTogetherMs;
  lastRefusal = isSecond ? { url: '', at: Number.NEGATIVE_INFINITY } : { url, at: now() };
  if (isSecond) stepDown();
}

function stepDown(): void {
  const lower = rungs.find((rung) => rung < mediaBudget.inUse('decoder'));
  if (lower === undefined || lower >= mediaBudget.capacityOf('decoder')) return;
  storeLearned('decoders', lower);
  mediaBudget.setCapacity('decoder', lower);
}
