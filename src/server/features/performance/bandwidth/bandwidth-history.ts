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

/** Of somebody who was sent so much in such a time: megabits per second. */
export function toMbps(bytes: number, ms: number): number {
  return ms === 0 ? 0 : (bytes * 8) / ms / 1_000;
}

/**
 * One point for each step from the first to the last in which something was sent: the mean over those who were sent it.
 * Steps between them in which nothing was sent have 0, so that a chart dips there.
 */
export function toHistory(slots: Iterable<SentSlot>, { stepMs, from, until }: Steps): Bandwidth['history'] {
  const steps = sumSteps(slots, stepMs);
  const starts = [...steps.keys()].filter((startsAt) => startsAt >= from && startsAt <= until);
  const history: Bandwidth['history'] = [];
  const last = Math.max(...starts);
  for (let startsAt = Math.min(...starts); startsAt <= last; startsAt += stepMs) {
    const { bytes, viewerMs } = steps.get(startsAt) ?? { bytes: 0, viewerMs: 0 };
    history.push({ timestamp: new Date(startsAt).toISOString(), mbps: toMbps(bytes, viewerMs) });
  }
  return history;
}

/** By the start of the step. Slots of a clock that has drifted count in the step that is nearest. */
function sumSteps(slots: Iterable<SentSlot>, stepMs: number): Map<number, SentSlot> {
  const steps = new Map<number, SentSlot>();
  for (const slot of slots) {
    const startsAt = Math.round(slot.startsAt / stepMs) * stepMs;
    const { bytes, viewerMs } = steps.get(startsAt) ?? { bytes: 0, viewerMs: 0 };
    steps.set(startsAt, { startsAt, bytes: bytes + slot.bytes, viewerMs: viewerMs + slot.viewerMs });
  }
  return steps;
}
