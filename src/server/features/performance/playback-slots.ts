import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Sample, SessionChange } from './samples.ts';
import { settledAfterMs } from './samples.ts';
import { OpenSlots } from './slots.ts';

type SlotSums = Record<QuadrantOrAll, PlaybackSums>;

/**
 * How long the rows of each slot length are stored, in milliseconds: slightly longer than the
 * windows that read them.
 */
export const playbackStoredMs = { 10: 20 * 60_000, 60: limits.performanceHours * 3_600_000 + 10 * 60_000 } as const;
export type PlaybackSlotSeconds = keyof typeof playbackStoredMs;

/** A slot can change for one more minute, for processes whose clocks are slow. */
export const changesForMs = settledAfterMs + 60_000;

/**
 * Samples and viewing sessions of this process, summed in slots of ten seconds and of one minute.
 */
export class PlaybackSlots {
  readonly sizes: Readonly<Record<PlaybackSlotSeconds, OpenSlots<SlotSums>>>;

  constructor(nameNode: () => string) {
    const open = (slotSeconds: PlaybackSlotSeconds) =>
      new OpenSlots({
        slotSeconds,
        changesForMs,
        storedForMs: playbackStoredMs[slotSeconds],
        create: createSlot,
        nameNode,
      });
    this.sizes = { 10: open(10), 60: open(60) };
  }

  /**
   * Stalls are counted as they are, because every device reports its own.
   * @param weight how many devices the sample stands for
   */
  addSample(sample: Sample, weight: number): void {
    for (const slots of Object.values(this.sizes)) {
      const slot = slots.at(sample.at);
      addSample(slot[sample.quadrant], sample, weight);
      addSample(slot.all, sample, weight);
    }
  }

  /** @param weight how many devices the sample that changes the session stands for */
  addSession(quadrant: QuadrantOrAll, { before, after, from, until }: SessionChange, weight: number): void {
    for (const slots of Object.values(this.sizes)) {
      for (let slot = slots.slotOf(from); slot <= until; slot += slots.slotMs) {
        // The pause between two sessions is longer than any slot, so none has both.
        const isKnown = before.some(({ startsAt, endsAt }) => slots.slotOf(startsAt) <= slot && endsAt >= slot);
        if (!isKnown && weight > 0) slots.at(slot)[quadrant].sessions += weight;
      }
      moveBeginnings(slots, quadrant, before, after);
    }
  }
}

function createSlot(): SlotSums {
  return Object.fromEntries(quadrantsAndAll.map((quadrant) => [quadrant, noSums()])) as SlotSums;
}

function addSample(sums: PlaybackSums, sample: Sample, weight: number): void {
  sums.samples += sample.seconds * weight;
  sums.droppedFrames += sample.droppedFrames * weight;
  sums.totalFrames += sample.totalFrames * weight;
  sums.bufferMs += sample.bufferMs * sample.seconds * weight;
  sums.stalls += sample.stalls;
  sums.qualityAdjustments += sample.qualityAdjustments * weight;
}

/** Changes only slots whose number of new sessions changes: another slot may be closed already. */
function moveBeginnings(
  slots: OpenSlots<SlotSums>,
  quadrant: QuadrantOrAll,
  before: SessionChange['before'],
  after: SessionChange['after'],
): void {
  const changes = new Map([[slots.slotOf(after.startsAt), after.weight]]);
  for (const { startsAt, weight } of before) {
    const slot = slots.slotOf(startsAt);
    changes.set(slot, (changes.get(slot) ?? 0) - weight);
  }
  for (const [slot, change] of changes) if (change !== 0) slots.at(slot)[quadrant].newSessions += change;
}

/** The totals of a number of samples, estimated for all devices where not every one is measured. */
export interface PlaybackSums {
  /** Seconds of one quadrant. */
  samples: number;
  /** Viewing sessions that were active. */
  sessions: number;
  /** The active sessions that began here. */
  newSessions: number;
  droppedFrames: number;
  totalFrames: number;
  bufferMs: number;
  /** Never estimated. */
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
