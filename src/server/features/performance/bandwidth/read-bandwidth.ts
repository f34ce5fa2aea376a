import type { Bandwidth } from '#contract/entities/site/performance.ts';
import type { TimeWindow } from '#contract/rules/time-window.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import type { SentHistory } from '../../../http/sent-bytes/sent-history.ts';
import { currentMs } from '../../../http/sent-bytes/sent-history.ts';
import type { SentSlot } from '../../../http/sent-bytes/sent-slots.ts';
import type { SentViewer } from '../../../http/sent-bytes/sent-viewer.ts';
import type { Steps } from './bandwidth-history.ts';
import { stepsOf, toHistory, toMbps } from './bandwidth-history.ts';

/** What one viewer was sent. */
export function readOwnBandwidth(meter: SentBytes, viewer: SentViewer | null, window: TimeWindow): Bandwidth {
  const steps = stepsOf(window, meter.toTimeOfDay(meter.now()));
  if (viewer === null) return { ...toCurrent(0, 0), history: [] };
  const bytes = viewer.history.bytesNow(meter.now());
  return { ...toCurrent(bytes, currentMs), history: toHistory(listSlots(meter, viewer.history, steps), steps) };
}

/** Slots of the length of a step, at their time of day. */
export function* listSlots(meter: SentBytes, history: SentHistory, { stepMs, from }: Steps): Generator<SentSlot> {
  const now = meter.now();
  const shift = meter.toTimeOfDay(0);
  // What has drifted by less than half a step may belong to the first one.
  for (const slot of history.slots(stepMs, from - shift - stepMs, now))
    yield { ...slot, startsAt: slot.startsAt + shift };
}

/** @param ms during which so many bytes were sent, summed over the viewers */
export function toCurrent(
  bytes: number,
  ms: number,
): Pick<Bandwidth, 'current_bandwidth_mbps' | 'current_bandwidth_bps'> {
  if (bytes === 0) return { current_bandwidth_mbps: null, current_bandwidth_bps: null };
  const bps = Math.round(toMbps(bytes, ms) * 1_000_000);
  return { current_bandwidth_mbps: bps / 1_000_000, current_bandwidth_bps: bps };
}
