import type { Performance, PerformanceMetrics, PerformancePoint } from '#contract/entities/performance.ts';
import type { TimeWindow } from '#contract/rules/health.ts';
import type { Executor } from '../../database/tables.ts';
import type { PlaybackSlots, PlaybackSums, QuadrantOrAll } from './playback-slots.ts';
import { addSums, noSums } from './playback-slots.ts';
import { playbackWindows, slotsOf } from './slots.ts';
import type { PlaybackRange } from './stats-repository.ts';
import { statsRepository } from './stats-repository.ts';

interface PerformanceRequest {
  quadrant: QuadrantOrAll;
  duration: TimeWindow;
  /** Epoch milliseconds. */
  now: number;
}

type Steps = Map<number, PlaybackSums>;

/**
 * Playback statistics of a window: the rows of all processes and the slots that this process holds
 * in memory.
 */
export async function readPlaybackStats(
  executor: Executor,
  slots: PlaybackSlots,
  { quadrant, duration, now }: PerformanceRequest,
): Promise<Performance> {
  const { slotSeconds, stepSeconds } = playbackWindows[duration];
  const live = slots.sizes[slotSeconds].live();
  const range = { quadrant, slotSeconds, ...slotsOf(duration, slotSeconds, now), stepMs: stepSeconds * 1_000, live };
  // Memory is read before the database: slots that are written and freed meanwhile must not count
  // twice.
  const steps = sumOpenSlots(slots, range);
  for (const { step, sums } of await statsRepository.sumPlayback(executor, range)) addStep(steps, step, sums);
  const inOrder = [...steps].sort(([a], [b]) => a - b);
  return { id: quadrant, duration, metrics: toMetrics(sumWindow(inOrder)), series: inOrder.flatMap(toPoint) };
}

function sumOpenSlots(slots: PlaybackSlots, { quadrant, slotSeconds, from, until, stepMs }: PlaybackRange): Steps {
  const steps: Steps = new Map();
  for (const { startsAt, content } of slots.sizes[slotSeconds].between(from, until)) {
    const step = startsAt - (startsAt % stepMs);
    const sums = content[quadrant];
    const isFirst = startsAt === step || startsAt === from;
    addStep(steps, step, { ...sums, sessions: isFirst ? sums.sessions : sums.newSessions });
  }
  return steps;
}

function addStep(steps: Steps, step: number, more: PlaybackSums): void {
  const sums = steps.get(step) ?? noSums();
  addSums(sums, more);
  steps.set(step, sums);
}

/**
 * The distinct sessions of the window are those of its first step and those that began in later
 * steps.
 */
function sumWindow(steps: readonly (readonly [number, PlaybackSums])[]): PlaybackSums {
  const whole = noSums();
  for (const [index, [, sums]] of steps.entries())
    addSums(whole, index === 0 ? sums : { ...sums, sessions: sums.newSessions });
  return whole;
}

function toMetrics(sums: PlaybackSums): PerformanceMetrics | null {
  if (sums.samples === 0) return null;
  return {
    averageDroppedFrameRate: droppedPercent(sums),
    averageBufferLevel: bufferSeconds(sums),
    stallEvents: perSession(sums.stalls, sums),
    qualityAdjustments: perSession(sums.qualityAdjustments, sums),
    samples: sums.samples,
  };
}

/** A step without samples has no point. */
function toPoint([step, sums]: readonly [number, PlaybackSums]): PerformancePoint[] {
  if (sums.samples === 0) return [];
  return [
    {
      timestamp: new Date(step).toISOString(),
      droppedFrameRate: droppedPercent(sums),
      bufferLevel: bufferSeconds(sums),
      stallEvents: perSession(sums.stalls, sums),
      qualityAdjustments: perSession(sums.qualityAdjustments, sums),
      viewers: sums.sessions,
    },
  ];
}

function droppedPercent({ droppedFrames, totalFrames }: PlaybackSums): number {
  return totalFrames === 0 ? 0 : (droppedFrames / totalFrames) * 100;
}

function bufferSeconds({ bufferMs, samples }: PlaybackSums): number {
  return bufferMs / samples / 1_000;
}

function perSession(events: number, { sessions }: PlaybackSums): number {
  return sessions === 0 ? 0 : events / sessions;
}

/** The samples that this process received for the last minute, of all quadrants together. */
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
