import { call } from '#app/platform/http/call.ts';
import { checkVideos } from '#contract/endpoints.ts';
import type { CheckedVideos } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import { facts } from '#device/device-database.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { now } from '#device/timers.ts';
import { session } from '../session.ts';

type CheckedVideo = CheckedVideos['videos'][number];

const dayMs = 24 * 60 * 60 * 1000;
/** The least time between two checks. */
const checkMs = 60 * 60 * 1000;

/**
 * Returns the time until which a file may be played without the server's word, in epoch
 * milliseconds: a large encoding as long as a dated plan, no file for longer than `savedCheckDays`.
 */
export function heldUntil(rendition: Rendition, checkedAt: number): number {
  const days = checkedAt + limits.savedCheckDays * dayMs;
  const planEnd = rendition === 'hd' ? session.user?.subscription_expires_at : null;
  return planEnd ? Math.min(days, Date.parse(planEnd)) : days;
}

/**
 * The latest time that this device has ever seen: a clock that is set back lengthens no right. It is
 * stored without a wait.
 */
export async function latestTime(): Promise<number> {
  const time = now();
  const known = await facts.read('latest-time').catch(() => undefined);
  if (known === undefined || known < time)
    void facts.update('latest-time', (stored = 0) => Math.max(stored, time)).catch(ignoreUntilNextLook);
  return Math.max(known ?? 0, time);
}

/** The next look stores it. */
function ignoreUntilNextLook(): void {}

/**
 * Asks the server whether the viewer may still have each saved video, at most once an hour. What
 * is hidden or gone, or withheld by now, leaves; the viewer is told of those that they chose.
 * Without an answer nothing changes.
 * @param videos the viewer's own
 * @param leastMs the least time since the last check of a video
 * @returns the rows that leave
 */
export async function checkRights(videos: readonly SavedVideo[], leastMs = checkMs): Promise<SavedVideo[]> {
  const time = await latestTime();
  // The latest time stands still for long after a clock that was far ahead is put right.
  const due = videos.filter(({ checkedAt }) => Math.abs(now() - checkedAt) >= leastMs);
  const leaving: SavedVideo[] = [];
  for (let from = 0; from < due.length; from += limits.checkedVideos)
    leaving.push(...(await checkSome(due.slice(from, from + limits.checkedVideos), time)));
  return leaving;
}

async function checkSome(videos: readonly SavedVideo[], time: number): Promise<SavedVideo[]> {
  const body = { videos: videos.map(({ videoId, rendition }) => ({ id: videoId, rendition })) };
  const reply = await call(checkVideos, { body, quiet: true }).catch(() => null);
  const leaving: SavedVideo[] = [];
  for (const [index, video] of videos.entries()) {
    const answer = reply?.videos[index];
    if (answer?.id !== video.videoId) continue;
    if (answer.state === 'gone' || answer.state === 'hidden') leaving.push(video);
    else await savedStore.change(video.id, () => rightsOf(video, answer, time));
  }
  return leaving;
}

/** A right that has ended is not lengthened, and what is not whole yet is not fetched. */
function rightsOf(video: SavedVideo, answer: CheckedVideo, time: number): Partial<SavedVideo> {
  const { rendition, state } = video;
  const { path = video.path, title: filename = video.filename, tag_ids: tagIds } = answer;
  const known = { path, filename, tagIds, checkedAt: now() };
  if (answer.state === 'fine') return { ...known, holdsUntil: heldUntil(rendition, time) };
  return { ...known, holdsUntil: time, ...(state !== 'whole' && { state: 'failed', reason: 'plan' }) };
}
