import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';

/** What samples add up to. */
export interface PlaybackSums {
  samples: number;
  /** Viewing sessions that were on. */
  sessions: number;
  /** Those of them that began. */
  newSessions: number;
  droppedFrames: number;
  totalFrames: number;
  bufferMs: number;
  stalls: number;
  qualityAdjustments: number;
}

export type QuadrantOrAll = Quadrant | 'all';
export const quadrantsAndAll: readonly QuadrantOrAll[] = [...quadrants, 'all'];

export function noSums(): PlaybackSums {
  return {
    samples: 0,
    sessions: 0,
    newSessions: 0,
    droppedFrames: 0,
    totalFrames: 0,
    bufferMs: 0,
    stalls: 0,
    qualityAdjustments: 0,
  };
}

export function addSums(sums: PlaybackSums, more: PlaybackSums): void {
  for (const name of Object.keys(sums) as (keyof PlaybackSums)[]) sums[name] += more[name];
}
