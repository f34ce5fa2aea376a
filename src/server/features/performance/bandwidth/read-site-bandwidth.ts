import type { Bandwidth } from '#contract/entities/site/performance.ts';
import { limits } from '#contract/limits.ts';
import type { TimeWindow } from '#contract/rules/time-window.ts';
import type { Executor } from '../../../database/tables.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import { sentSlotMs } from '../../../http/sent-bytes/sent-history.ts';
import type { SentSlot } from '../../../http/sent-bytes/sent-slots.ts';
import type { Steps } from './bandwidth-history.ts';
import { stepsOf, toHistory } from './bandwidth-history.ts';
import { storedSlots } from './bandwidth-recorder.ts';
import { listNewestSlots, sumSlots } from './bandwidth-repository.ts';
import { listSlots, standsMs, toCurrent } from './read-bandwidth.ts';

export interface SiteBandwidthSources {
  meter: SentBytes;
  reader: Executor;
  /** This process: what it measured itself is in memory. */
  node: string;
}

/** A slot, the time until it is stored, and one more of each. */
const freshMs = 3 * sentSlotMs;
/** What was measured so shortly before the newest counts as being of the same time. */
const togetherMs = limits.currentBandwidthSeconds * 1_000;

/** One viewer of this process, or those of one slot of another one. */
interface Measured extends Pick<SentSlot, 'kbps' | 'viewers'> {
  /** Epoch milliseconds. */
  at: number;
}

/** What the network gives those who fetch something: the mean over them, of all processes on the database. */
export async function readSiteBandwidth(sources: SiteBandwidthSources, window: TimeWindow): Promise<Bandwidth> {
  const { meter } = sources;
  const steps = stepsOf(window, meter.toTimeOfDay(meter.now()));
  const [others, current] = await Promise.all([readOthers(sources, steps), readCurrentKbps(sources)]);
  return { ...toCurrent(current), history: toHistory([...listSlots(meter, meter.site, steps), ...others], steps) };
}

/** The mean over those who fetched when somebody did last; null when nobody has for `lastBandwidthMinutes`. */
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
 * The newest slot of each other process. It is stored up to twenty seconds after it began, and counts as of now until
 * the next one is.
 */
async function readOthersNow({ reader, node }: SiteBandwidthSources, now: number): Promise<Measured[]> {
  const slots = await listNewestSlots(reader, {
    slotSeconds: storedSlots.short,
    from: now - standsMs,
    until: now,
    node,
  });
  return slots.map(({ startsAt, kbps, viewers }) => ({ at: Math.min(now, startsAt + freshMs), kbps, viewers }));
}

function readOthers({ reader, node }: SiteBandwidthSources, { stepMs, from, until }: Steps): Promise<SentSlot[]> {
  const slotSeconds = stepMs < storedSlots.long * 1_000 ? storedSlots.short : storedSlots.long;
  return sumSlots(reader, { slotSeconds, stepMs, from, until: until + stepMs, node });
}
