import { availableParallelism } from 'node:os';
import { limits } from '#contract/limits.ts';
import type { SandboxLimits } from '../sandbox/sandbox.ts';

const unknownSeconds = 4 * 3_600;
const maxSeconds = 24 * 3_600;
/** A large picture with many colours decodes at a thirtieth of its speed on the slowest machines. */
const processorSecondsEach = 30;
const minProcessorSeconds = 600;
/** At the lowest priority, beside whatever else there is to do. */
const wallFactor = 8;
const maxWallSeconds = 7 * 24 * 3_600;
/** Of address space: frames of 8K, several of them for each thread. */
const memoryMegabytes = 4_096;

/** What an encoding may take before it is ended. */
export function encodeLimits(durationMs: number | null, fileBytes: number): SandboxLimits {
  const seconds = Math.min(maxSeconds, durationMs === null ? unknownSeconds : durationMs / 1000);
  const processorSeconds = minProcessorSeconds + seconds * processorSecondsEach;
  return {
    seconds: Math.min(maxWallSeconds, processorSeconds * wallFactor),
    processorSeconds,
    memoryMegabytes,
    // Progress, and complaints about frames: a line each.
    outputBytes: 256 * 1024 * 1024,
    errorBytes: 256 * 1024 * 1024,
    fileBytes,
  };
}

/** What reads a file from its start to its end and decodes little of it. */
export function readingLimits(durationMs: number | null, fileBytes: number = limits.subtitleBytes * 8): SandboxLimits {
  const { processorSeconds, ...others } = encodeLimits(durationMs, fileBytes);
  return { ...others, processorSeconds: processorSeconds / 2 };
}

/** Half of the processors: the other half answers calls. */
export function encodingThreads(processors: number = availableParallelism()): number {
  return Math.min(4, Math.max(1, Math.floor(processors / 2)));
}
