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

  addSample(sample: Sample): void {
    for (const slots of Object.values(this.sizes)) {
      const slot = slots.at(sample.at);
      addSample(slot[sample.quadrant], sample);
      addSample(slot.all, sample);
    }
  }

  addSession(quadrant: QuadrantOrAll, { before, after, from, until }: SessionChange): void {
    for (const slots of Object.values(this.sizes)) {
      for (let slot = slots.slotOf(from); slot <= until; slot += slots.slotMs) {
        const known = before.filter(({ startsAt, endsAt }) => slots.slotOf(startsAt) <= slot && endsAt >= slot).length;
        if (known !== 1) slots.at(slot)[quadrant].sessions += 1 - known;
      }
      addBeginnings(
        slots,
        quadrant,
        before.map(({ startsAt }) => slots.slotOf(startsAt)),
        slots.slotOf(after.startsAt),
      );
    }
  }
}

function createSlot(): SlotSums {
  return Object.fromEntries(quadrantsAndAll.map((quadrant) => [quadrant, noSums()])) as SlotSums;
}

function addSample(sums: PlaybackSums, sample: Sample): void {
  sums.samples += 1;
  sums.droppedFrames += sample.droppedFrames;
  sums.totalFrames += sample.totalFrames;
  sums.bufferMs += sample.bufferMs;
  sums.stalls += sample.stalls;
  sums.qualityAdjustments += sample.qualityAdjustments;
}

/** Changes only slots whose number of new sessions changes: another slot may be closed already. */
function addBeginnings(slots: OpenSlots<SlotSums>, quadrant: QuadrantOrAll, before: number[], after: number): void {
  if (before.includes(after)) before.splice(before.indexOf(after), 1);
  else slots.at(after)[quadrant].newSessions += 1;
  for (const beginning of before) slots.at(beginning)[quadrant].newSessions -= 1;
}

/** The totals of a number of samples. */
export interface PlaybackSums {
  samples: number;
  /** Viewing sessions that were active. */
  sessions: number;
  /** The active sessions that began here. */
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
