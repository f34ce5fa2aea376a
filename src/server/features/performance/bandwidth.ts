import type { Bandwidth } from '#contract/entities/performance.ts';
import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/health.ts';
import type { Executor } from '../../database/tables.ts';
import type { SentBytes, SentViewer } from '../../http/connections/sent-bytes.ts';
import type { SentHistory, SentSlot } from '../../http/connections/sent-history.ts';
import { sentSlotMs } from '../../http/connections/sent-history.ts';
import { bandwidthRepository } from './slot-repository.ts';
import { playbackWindows, slotsOf } from './slots.ts';
import { storedSlots } from './stats-writer.ts';

/** A measurement stays current for this long when nothing is fetched after it. */
const standsMs = limits.lastBandwidthMinutes * 60_000;

/** The measured bandwidth of one viewer. */
export function readOwnBandwidth(meter: SentBytes, viewer: SentViewer | null, window: TimeWindow): Bandwidth {
  const steps = stepsOf(window, meter.toTimeOfDay(meter.now()));
  if (viewer === null) return { ...toCurrent(null), history: [] };
  return {
    ...toCurrent(currentKbps(meter, viewer)),
    history: toHistory(listSlots(meter, viewer.history, steps), steps),
  };
}

/** The latest measured bandwidth of this viewer; null when it is too old. */
export function currentKbps(meter: SentBytes, { speed }: SentViewer): number | null {
  return speed !== null && speed.at >= meter.now() - standsMs ? speed.kbps : null;
}

/** Yields slots of the length of a step, shifted to the time of day. */
function* listSlots(meter: SentBytes, history: SentHistory, { stepMs, from }: Steps): Generator<SentSlot> {
  const now = meter.now();
  const shift = meter.toTimeOfDay(0);
  // A slot that has drifted by less than half a step may belong to the first step.
  for (const slot of history.slots(stepMs, from - shift - stepMs, now))
    yield { ...slot, startsAt: slot.startsAt + shift };
}

function toCurrent(kbps: number | null): Pick<Bandwidth, 'current_bandwidth_mbps' | 'current_bandwidth_bps'> {
  if (kbps === null) return { current_bandwidth_mbps: null, current_bandwidth_bps: null };
  const bps = Math.round(kbps * 1_000);
  return { current_bandwidth_mbps: bps / 1_000_000, current_bandwidth_bps: bps };
}

interface SiteBandwidthSources {
  meter: SentBytes;
  reader: Executor;
  /** The name of this process, whose own measurements are in memory. */
  node: string;
}

/** The rows of this process are not summed with those of others before this age. */
const ownMs = 3_600_000;

/** The length of a slot, the delay until it is stored, and one slot more. */
const freshMs = 3 * sentSlotMs;
/** Measurements at most this much older than the newest one count as simultaneous. */
const togetherMs = limits.currentBandwidthSeconds * 1_000;

/**
 * The measurement of one viewer of this process, or of all viewers in one slot of another process.
 */
interface Measured extends Pick<SentSlot, 'kbps' | 'viewers'> {
  /** Epoch milliseconds. */
  at: number;
}

/**
 * The mean bandwidth of the viewers who fetch something, over all processes that share the
 * database.
 */
export async function readSiteBandwidth(sources: SiteBandwidthSources, window: TimeWindow): Promise<Bandwidth> {
  const { meter } = sources;
  const steps = stepsOf(window, meter.toTimeOfDay(meter.now()));
  const [stored, current] = await Promise.all([readStored(sources, steps), readCurrentKbps(sources)]);
  const own = [...listSlots(meter, meter.site, steps)].filter(
    ({ startsAt }) => startsAt >= ownFrom(steps) - steps.stepMs / 2,
  );
  return { ...toCurrent(current), history: toHistory([...own, ...stored], steps) };
}

/**
 * The mean over the viewers who fetched around the latest measurement; null when nobody has fetched
 * for `lastBandwidthMinutes`.
 */
export async function readCurrentKbps(sources: SiteBandwidthSources): Promise<number | null> {
  const { meter } = sources;
  const now = meter.toTimeOfDay(meter.now());
  const own = meter.measured(standsMs).map(({ at, kbps }) => ({ at: meter.toTimeOfDay(at), kbps, viewers: 1 }));
  const measured = [...own, ...(await readOthersNow(sources, now))];
  const newest = measured.reduce((latest, { at }) => Math.max(latest, at), 0);
  let [kbps, viewers] = [0, 0];
  for (const each of measured) {
    if (each.at < newest - togetherMs) continue;
    kbps += each.kbps;
    viewers += each.viewers;
  }
  return viewers === 0 ? null : kbps / viewers;
}

/**
 * Reads the newest slot of each other process. A slot is stored up to twenty seconds after it
 * began, and counts as current until the next one is stored.
 */
async function readOthersNow({ reader, node }: SiteBandwidthSources, now: number): Promise<Measured[]> {
  const slots = await bandwidthRepository.listNewest(reader, {
    slotSeconds: storedSlots.short,
    from: now - standsMs,
    until: now,
    node,
  });
  return slots.map(({ startsAt, kbps, viewers }) => ({ at: Math.min(now, startsAt + freshMs), kbps, viewers }));
}

/** Slots of this process count from memory since this step, and before it from their rows. */
function ownFrom({ stepMs, until }: Steps): number {
  return until - Math.floor(ownMs / stepMs) * stepMs;
}

function readStored({ reader, node }: SiteBandwidthSources, steps: Steps): Promise<SentSlot[]> {
  const { stepMs, from, until } = steps;
  const slotSeconds = stepMs < storedSlots.long * 1_000 ? storedSlots.short : storedSlots.long;
  const range = { slotSeconds, stepMs, from, until: until + stepMs, node, ownFrom: ownFrom(steps) };
  return bandwidthRepository.sum(reader, range);
}

/** The steps of a window, in epoch milliseconds. */
interface Steps {
  stepMs: number;
  /** The start of the first step, which the window begins within. */
  from: number;
  /**
   * The start of the last step. Slots that a clock running ahead has written for a later time are
   * left out.
   */
  until: number;
}

export function stepsOf(window: TimeWindow, now: number): Steps {
  const { stepSeconds } = playbackWindows[window];
  return { stepMs: stepSeconds * 1_000, ...slotsOf(window, stepSeconds, now) };
}

/** The mean over the viewers, in megabits per second. */
function toMbps({ kbps, viewers }: Pick<SentSlot, 'kbps' | 'viewers'>): number {
  return kbps / viewers / 1_000;
}

/**
 * One point for each step in which somebody fetched: the mean over those viewers, each counted once
 * per slot.
 */
export function toHistory(slots: Iterable<SentSlot>, { stepMs, from, until }: Steps): Bandwidth['history'] {
  const steps = [...sumSteps(slots, stepMs).values()].filter(({ startsAt }) => startsAt >= from && startsAt <= until);
  steps.sort((a, b) => a.startsAt - b.startsAt);
  return steps.map((step) => ({ timestamp: new Date(step.startsAt).toISOString(), mbps: toMbps(step) }));
}

/**
 * Sums slots by the start of the nearest step, which also fits slots of a clock that has drifted.
 */
function sumSteps(slots: Iterable<SentSlot>, stepMs: number): Map<number, SentSlot> {
  const steps = new Map<number, SentSlot>();
  for (const slot of slots) {
    const startsAt = Math.round(slot.startsAt / stepMs) * stepMs;
    const { kbps, viewers } = steps.get(startsAt) ?? { kbps: 0, viewers: 0 };
    steps.set(startsAt, { startsAt, kbps: kbps + slot.kbps, viewers: viewers + slot.viewers });
  }
  return steps;
}
