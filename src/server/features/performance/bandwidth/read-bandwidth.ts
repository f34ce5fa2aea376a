import type { Bandwidth } from '#contract/entities/site/performance.ts';
import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/time-window.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import type { SentHistory } from '../../../http/sent-bytes/sent-history.ts';
import type { SentSlot } from '../../../http/sent-bytes/sent-slots.ts';
import type { SentViewer } from '../../../http/sent-bytes/sent-viewer.ts';
import type { Steps } from './bandwidth-history.ts';
import { stepsOf, toHistory } from './bandwidth-history.ts';

/** What was measured stands for so long when nobody fetches anything after it. */
export const standsMs = limits.lastBandwidthMinutes * 60_000;

/** What the network gives one viewer. */
export function readOwnBandwidth(meter: SentBytes, viewer: SentViewer | null, window: TimeWindow): Bandwidth {
  const steps = stepsOf(window, meter.toTimeOfDay(meter.now()));
  if (viewer === null) return { ...toCurrent(null), history: [] };
  return {
    ...toCurrent(currentKbps(meter, viewer)),
    history: toHistory(listSlots(meter, viewer.history, steps), steps),
  };
}

/** What the network gave this viewer last; null when that is too long ago. */
export function currentKbps(meter: SentBytes, { speed }: SentViewer): number | null {
  return speed !== null && speed.at >= meter.now() - standsMs ? speed.kbps : null;
}

/** Slots of the length of a step, at their time of day. */
export function* listSlots(meter: SentBytes, history: SentHistory, { stepMs, from }: Steps): Generator<SentSlot> {
  const now = meter.now();
  const shift = meter.toTimeOfDay(0);
  // What has drifted by less than half a step may belong to the first one.
  for (const slot of history.slots(stepMs, from - shift - stepMs, now))
    yield { ...slot, startsAt: slot.startsAt + shift };
}

export function toCurrent(kbps: number | null): Pick<Bandwidth, 'current_bandwidth_mbps' | 'current_bandwidth_bps'> {
  if (kbps === null) return { current_bandwidth_mbps: null, current_bandwidth_bps: null };
  const bps = Math.round(kbps * 1_000);
  return { current_bandwidth_mbps: bps / 1_000_000, current_bandwidth_bps: bps };
}
