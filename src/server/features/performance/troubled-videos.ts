import type { TroubledVideos } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/health.ts';
import type { Executor } from '../../database/tables.ts';
import { slotsOf } from './slots.ts';
import type { VideoRange } from './stats-repository.ts';
import { statsRepository } from './stats-repository.ts';
import type { VideoSlotSeconds, VideoSlots, VideoSums } from './video-slots.ts';
import { addVideoSums, troubleOf } from './video-slots.ts';

/** The length in seconds of the slots that are summed for a window. */
const slotsByWindow: Readonly<Record<TimeWindow, VideoSlotSeconds>> = {
  '1m': 60,
  '5m': 60,
  '15m': 60,
  '1h': 60,
  '6h': 3_600,
  '24h': 3_600,
};

/** The number of ranked ids, many more than are listed: clients may have made some of them up. */
const ranked = 500;
const namesTogether = 100;

/**
 * Lists the videos with stalls or failures in a window, the worst first, from the rows of all
 * processes and the slots that this process holds in memory. Ids without a video are left out.
 * @param now epoch milliseconds
 */
export async function rankTroubledVideos(
  executor: Executor,
  slots: VideoSlots,
  { duration, now }: { duration: TimeWindow; now: number },
): Promise<TroubledVideos> {
  const slotSeconds = slotsByWindow[duration];
  const range = { slotSeconds, ...slotsOf(duration, slotSeconds, now), live: slots.sizes[slotSeconds].live() };
  // Memory is read before the database: slots that are written and freed meanwhile must not count
  // twice.
  const open = sumOpenSlots(slots, range);
  const names = await nameWorst(executor, await rankAll(executor, range, open));
  const stored = await statsRepository.sumVideos(executor, range, [...names.keys()]);
  const videos = [...names].map(([id, filename]) => {
    const sums = addVideoSums(stored.get(id), open.get(id) ?? { stalls: 0, failures: 0, playedMs: 0 });
    return { id, filename, ...sums };
  });
  return {
    videos: videos
      .sort((a, b) => troubleOf(b) - troubleOf(a))
      .map(({ id, filename, stalls, failures, playedMs }) => ({
        id,
        filename,
        stall_events: stalls,
        failures,
        minutes: playedMs / 60_000,
      })),
  };
}

/**
 * Counts only the videos whose rows are written, so that the totals stay the same once they are.
 */
function sumOpenSlots(slots: VideoSlots, { slotSeconds, from, until }: VideoRange): Map<string, VideoSums> {
  const sums = new Map<string, VideoSums>();
  for (const { content } of slots.sizes[slotSeconds].between(from, until))
    for (const [id, more] of content.listStored()) sums.set(id, addVideoSums(sums.get(id), more));
  return sums;
}

/** Ids with trouble, the worst first. */
async function rankAll(executor: Executor, range: VideoRange, open: ReadonlyMap<string, VideoSums>): Promise<string[]> {
  const stored = await statsRepository.rankVideos(executor, range, ranked);
  const trouble = new Map(stored.map((video) => [video.id, video.trouble]));
  for (const [id, sums] of open) if (troubleOf(sums) > 0) trouble.set(id, (trouble.get(id) ?? 0) + troubleOf(sums));
  return [...trouble].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

/** The filenames of the first ids that are videos, as many as are listed. */
async function nameWorst(executor: Executor, ids: readonly string[]): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  for (let first = 0; first < ids.length; first += namesTogether) {
    const together = ids.slice(first, first + namesTogether);
    const names = await statsRepository.readFilenames(executor, together);
    for (const id of together) {
      const filename = names.get(id);
      if (filename !== undefined) named.set(id, filename);
      if (named.size === limits.troubledVideosListed) return named;
    }
  }
  return named;
}
