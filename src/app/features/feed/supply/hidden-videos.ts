import { call } from '#app/platform/http/call.ts';
import { findHiddenVideos } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { after, now } from '#device/timers.ts';
import { feed } from '../feed-state.ts';
import { comingOf } from '../quadrant/quadrant.ts';
import { machines } from '../quadrant/quadrant-machine.ts';

/** Minimum time between two requests, however often something changes on the server. */
const pauseMs = 1_000;
/**
 * The time between two requests while a video is on screen that the viewer may lose: a plan can end
 * at any moment, and what has been loaded would play on.
 */
const restrictedPauseMs = 3_000;

/** Epoch milliseconds of the last request. */
let askedAt = 0;
let cancelNext = () => {};

/** Asks the server which of the feed's videos the viewer may no longer see, and replaces them. */
export function replaceHiddenVideos(): void {
  cancelNext();
  cancelNext = after(Math.min(pauseMs, Math.max(0, askedAt + pauseMs - now())), ask);
}

/** Removes videos from all four quadrants at once. */
export function removeFromFeed(ids: readonly string[]): void {
  for (const quadrant of quadrants) machines[quadrant].send({ type: 'hidden', ids });
}

async function ask(): Promise<void> {
  const ids = collectIds();
  if (ids.length === 0) return;
  if (quadrants.some(isRestricted)) cancelNext = after(restrictedPauseMs, () => void ask());
  askedAt = now();
  // A failed request is repeated with the next poll of the status.
  const reply = await call(findHiddenVideos, { query: { ids: joinIds(ids) } }).catch(() => null);
  if (reply && reply.hidden.length > 0) removeFromFeed(reply.hidden);
}

/** Whether a quadrant in sight shows a video that not everybody may see. */
function isRestricted(quadrant: Quadrant): boolean {
  const { isSeen, shown } = feed.quadrants[quadrant];
  return isSeen && shown?.isRestricted === true;
}

/** Ids of videos on screen or about to be, then those that skip back leads to, newest first. */
function collectIds(): string[] {
  const states = quadrants.map((quadrant) => feed.quadrants[quadrant]);
  const current = states.flatMap((state) => [state.shown, comingOf(state), state.next, state.pinned?.video]);
  const ages = Array.from({ length: limits.recentVideosPerQuadrant }, (_, age) => age);
  const past = ages.flatMap((age) => states.map((state) => state.past[age]));
  const ids = [...current, ...past].flatMap((video) => video?.id ?? []);
  return [...new Set(ids)].slice(0, limits.askedVideos);
}
