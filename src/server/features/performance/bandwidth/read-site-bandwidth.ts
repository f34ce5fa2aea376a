import type { Bandwidth } from '#contract/entities/site/performance.ts';
import type { TimeWindow } from '#contract/rules/time-window.ts';
import type { Executor } from '../../../database/tables.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import { currentMs, sentSlotMs } from '../../../http/sent-bytes/sent-history.ts';
import type { SentSlot } from '../../../http/sent-bytes/sent-slots.ts';
import type { Steps } from './bandwidth-history.ts';
import { stepsOf, toHistory } from './bandwidth-history.ts';
import { storedSlots } from './bandwidth-recorder.ts';
import { listNewestSlots, sumSlots } from './bandwidth-repository.ts';
import { listSlots, toCurrent } from './read-bandwidth.ts';

export interface SiteBandwidthSources {
  meter: SentBytes;
  reader: Executor;
  /** This process: what it sent itself is in memory. */
  node: string;
}

/** A slot, the time until it is stored, and one more of each. */
const freshMs = 3 * sentSlotMs;

/** What everybody was sent who is being sent something: the mean over them, of all processes on the database. */
export async function readSiteBandwidth(sources: SiteBandwidthSources, window: TimeWindow): Promise<Bandwidth> {
  const { meter } = sources;
  const now = meter.toTimeOfDay(meter.now());
  const steps = stepsOf(window, now);
  const [others, othersNow] = await Promise.all([readOthers(sources, steps), readOthersNow(sources, now)]);
  const parts = [...ownNow(meter), ...othersNow];
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const viewerMs = parts.reduce((sum, part) => sum + part.viewerMs, 0);
  return {
    ...toCurrent(bytes, viewerMs),
    history: toHistory([...listSlots(meter, meter.site, steps), ...others], steps),
  };
}

type SentPart = Pick<SentSlot, 'bytes' | 'viewerMs'>;

function ownNow(meter: SentBytes): SentPart[] {
  const now = meter.now();
  const parts = meter.active(currentMs).map(({ history }) => ({ bytes: history.bytesNow(now), viewerMs: currentMs }));
  return parts.filter(({ bytes }) => bytes > 0);
}

function readOthersNow({ reader, node }: SiteBandwidthSources, now: number): Promise<SentPart[]> {
  return listNewestSlots(reader, { slotSeconds: storedSlots.short, from: now - freshMs, until: now, node });
}

function readOthers({ reader, node }: SiteBandwidthSources, { stepMs, from, until }: Steps): Promise<SentSlot[]> {
  const slotSeconds = stepMs < storedSlots.long * 1_000 ? storedSlots.short : storedSlots.long;
  return sumSlots(reader, { slotSeconds, stepMs, from, until: until + stepMs, node });
}
