import { limits } from '#contract/limits.ts';

/** What no player exceeds in one sample: reports come from anybody, and these are the most that one may weigh. */
export const sampleLimits = {
  /** 240 a second, of a timer that came four seconds late. */
  frames: 960,
  stalls: 5,
  qualityAdjustments: 5,
  /** A whole hour of a small file. */
  bufferMs: 3_600_000,
  failures: 1,
} as const;

/** How late a sample may come, in milliseconds. */
export const unsentMs = limits.performanceUnsentMinutes * 60_000;

/** A longer pause begins another viewing session, in milliseconds. */
export const sessionGapMs = limits.viewingSessionGapSeconds * 1_000;

/** After it nothing that comes late can belong to an instant, or join the sessions around it, in milliseconds. */
export const settledAfterMs = unsentMs + sessionGapMs;
