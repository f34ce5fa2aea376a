import type { PlaybackSlots } from '../stats/playback-slots.ts';
import { addSums, noSums } from '../stats/playback-sums.ts';
import { slotsOf } from './windows.ts';

/** What this process heard of the last minute, of all quadrants together. */
export interface LastMinute {
  samples: number;
  droppedFrames: number;
  totalFrames: number;
  /** The mean; null without samples. */
  bufferSeconds: number | null;
  stalls: number;
}

export function sumLastMinute(slots: PlaybackSlots, now: number): LastMinute {
  const { from, until } = slotsOf('1m', 10, now);
  const sums = noSums();
  for (const { content } of slots.sizes[10].between(from, until)) addSums(sums, content.all);
  const { samples, droppedFrames, totalFrames, bufferMs, stalls } = sums;
  const bufferSeconds = samples === 0 ? null : bufferMs / samples / 1_000;
  return { samples, droppedFrames, totalFrames, bufferSeconds, stalls };
}
