import type { Bandwidth } from '#contract/entities/site/performance.ts';
import type { TimeWindow } from '#contract/rules/time-window.ts';
import type { SentSlot } from '../../../http/sent-bytes/sent-slots.ts';
import { playbackWindows, slotsOf } from '../read/windows.ts';

/** The steps of a window, in epoch milliseconds. */
export interface Steps {
  stepMs: number;
  /** Where the first one starts: the window begins within it. */
  from: number;
  /** Where the last one starts. What a clock that was ahead has written for later is not of this window. */
  until: number;
}

export function stepsOf(window: TimeWindow, now: number): Steps {
  const { stepSeconds } = playbackWindows[window];
  return { stepMs: stepSeconds * 1_000, ...slotsOf(window, stepSeconds, now) };
}

/** The mean over so many viewers, in megabits per second. */
function toMbps({ kbps, viewers }: Pick<SentSlot, 'kbps' | 'viewers'>): number {
  return kbps / viewers / 1_000;
}

/** One point for each step in which somebody fetched: the mean over those who did, each once in a slot. */
export function toHistory(slots: Iterable<SentSlot>, { stepMs, from, until }: Steps): Bandwidth['history'] {
  const steps = [...sumSteps(slots, stepMs).values()].filter(({ startsAt }) => startsAt >= from && startsAt <= until);
  steps.sort((a, b) => a.startsAt - b.startsAt);
  return steps.map((step) => ({ timestamp: new Date(step.startsAt).toISOString(), mbps: toMbps(step) }));
}

/** By the start of the step. Slots of a clock that has drifted count in the step that is nearest. */
function sumSteps(slots: Iterable<SentSlot>, stepMs: number): Map<number, SentSlot> {
  const steps = new Map<number, SentSlot>();
  for (const slot of slots) {
    const startsAt = Math.round(slot.startsAt / stepMs) * stepMs;
    const { kbps, viewers } = steps.get(startsAt) ?? { kbps: 0, viewers: 0 };
    steps.set(startsAt, { startsAt, kbps: kbps + slot.kbps, viewers: viewers + slot.viewers });
  }
  return steps;
}
