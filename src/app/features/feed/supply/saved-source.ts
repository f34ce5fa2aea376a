import { withinLimit } from '#app/platform/http/time-limit.ts';
import { isInFilter } from '#app/state/quadrant-filters.ts';
import { listPlayable, notePlayed, openVideo } from '#app/state/saved/saved-library.ts';
import { session } from '#app/state/session.ts';
import { settings } from '#app/state/settings.ts';
import { shownHere } from '#app/state/watched-log.ts';
import { limits } from '#contract/limits.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { after } from '#device/timers.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import type { SupplyRequest, SupplyResult } from './pick-request.ts';

/** Videos whose bytes turn out to be gone, before the draw is given up. */
const maxTries = 5;

/**
 * Videos that quadrants have just been given, and have not claimed yet: four ask at once at the
 * start.
 */
const unclaimed = new Set<string>();

/**
 * Draws evenly from the saved videos that the quadrant's filter and the blocklist allow: from those
 * that this device has not shown, or else from all.
 * @throws Unanswered when the browser's storage takes longer than a server may
 */
export function pickSaved(request: SupplyRequest): Promise<SupplyResult> {
  return withinLimit({ seconds: limits.pickTimeoutSeconds }, () => drawSaved(request));
}

async function drawSaved({ filter, excluded, signal }: SupplyRequest): Promise<SupplyResult> {
  if (filter.tagIds.includes('is:favourite')) await learnFavourites();
  const shown = settings.shuffle === 'random' ? new Set<string>() : await shownHere();
  const tried: string[] = [];
  while (tried.length < maxTries && !signal.aborted) {
    const rows = await listPlayable();
    const matching = rows.filter((row) => isInFilter({ ...row, id: row.videoId }, filter, blockedTagIds()));
    const row = draw(
      matching.filter(({ id }) => !tried.includes(id)),
      excluded,
      shown,
    );
    if (!row) return { kind: 'failed', failure: rows.length > 0 && matching.length === 0 ? 'no-saved' : 'no-network' };
    unclaimed.add(row.videoId);
    const video = await openVideo(row).finally(() => after(0, () => unclaimed.delete(row.videoId)));
    if (video) {
      void notePlayed(row);
      return { kind: 'given', video: { ...video, matching: matching.length } };
    }
    tried.push(row.id);
  }
  return signal.aborted ? { kind: 'given-up' } : { kind: 'failed', failure: 'no-network' };
}

/** A start without the server loads this only for a filter that asks for favourites. */
async function learnFavourites(): Promise<void> {
  try {
    await (await import('#app/state/video-sets.ts')).loadFavourites();
  } catch {
    // This device does not know them: no saved video counts as one.
  }
}

/**
 * The picked video from this device, if it keeps the very file that the server has chosen.
 * @throws Unanswered when the browser's storage takes longer than a server may
 */
export function preferSaved(video: FeedVideo): Promise<FeedVideo> {
  return withinLimit({ seconds: limits.pickTimeoutSeconds }, () => findSaved(video));
}

async function findSaved(video: FeedVideo): Promise<FeedVideo> {
  const rows = await listPlayable();
  const isSame = ({ videoId, rendition, version }: SavedVideo) =>
    videoId === video.id &&
    rendition === video.rendition &&
    video.url.includes(`version=${encodeURIComponent(version)}`);
  const row = rows.find(isSame);
  const saved = row && (await openVideo(row));
  return saved ? { ...video, url: saved.url, renditions: [] } : video;
}

/** Videos that are to be avoided repeat when there are no others, as in a small library. */
function draw(
  rows: readonly SavedVideo[],
  excluded: readonly string[],
  shown: ReadonlySet<string>,
): SavedVideo | undefined {
  const fresh = rows.filter(({ videoId }) => !excluded.includes(videoId));
  const free = fresh.filter(({ videoId }) => !unclaimed.has(videoId));
  const unseen = free.filter(({ videoId }) => !shown.has(videoId));
  const drawn = [unseen, free, fresh].find((found) => found.length > 0) ?? rows;
  return drawn[Math.floor(Math.random() * drawn.length)];
}

function blockedTagIds(): readonly string[] {
  return session.user?.settings.blocked_tag_ids ?? [];
}
