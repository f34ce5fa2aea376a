import { limits } from '#contract/limits.ts';
import type { Sample } from '../record/sample.ts';
import { OpenSlots } from '../stats/open-slots.ts';
import { changesForMs } from '../stats/playback-slots.ts';
import type { VideoBounds } from './video-counts.ts';
import { VideoCounts } from './video-counts.ts';

/** How long rows of each length of slot are stored, in milliseconds: the windows that are read from them, and a little. */
export const videosStoredMs = {
  60: 70 * 60_000,
  3600: (limits.performanceHours + 1) * 3_600_000 + 10 * 60_000,
} as const;
export type VideoSlotSeconds = keyof typeof videosStoredMs;

const videoBounds: Readonly<Record<VideoSlotSeconds, VideoBounds>> = {
  60: { remembered: 2_000, stored: 200 },
  3600: { remembered: 10_000, stored: 500 },
};

/** One sample is one second of one quadrant. */
const sampleMs = 1_000;

/** Which videos stall and break, summed over slots of a minute and of an hour. */
export class VideoSlots {
  readonly sizes: Readonly<Record<VideoSlotSeconds, OpenSlots<VideoCounts>>>;

  constructor(nameNode: () => string) {
    const open = (slotSeconds: VideoSlotSeconds) =>
      new OpenSlots({
        slotSeconds,
        changesForMs,
        storedForMs: videosStoredMs[slotSeconds],
        create: () => new VideoCounts(videoBounds[slotSeconds]),
        trim: (counts) => counts.trim(),
        nameNode,
      });
    this.sizes = { 60: open(60), 3600: open(3_600) };
  }

  /** A second counts as played when there were frames in it. */
  addSample({ at, videoId, stalls, failures, totalFrames }: Sample): void {
    if (videoId === null) return;
    const sums = { stalls, failures, playedMs: totalFrames > 0 ? sampleMs : 0 };
    for (const slots of Object.values(this.sizes)) slots.at(at).add(videoId, sums);
  }
}
