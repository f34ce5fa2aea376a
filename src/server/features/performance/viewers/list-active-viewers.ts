import type { ActiveViewer, ActiveViewers } from '#contract/entities/site/performance.ts';
import { limits } from '#contract/limits.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import type { SentViewer } from '../../../http/sent-bytes/sent-viewer.ts';
import { currentKbps } from '../bandwidth/read-bandwidth.ts';
import type { PresentViewer } from '../record/viewers.ts';

const activeMs = limits.viewingSessionGapSeconds * 1_000;

/**
 * Who was sent bytes by this process or reported to it in the last `viewingSessionGapSeconds`: most stalls first, then
 * the lowest bandwidth, those of whom none was measured last. Only ever in memory.
 */
export function listActiveViewers(meter: SentBytes, present: readonly PresentViewer[]): ActiveViewers {
  const sent = new Map(meter.active(activeMs).map((viewer) => [viewer.key, viewer]));
  const reported = new Map(present.map((viewer) => [viewer.viewer, viewer]));
  const keys = new Set([...sent.keys(), ...reported.keys()]);
  const viewers = [...keys].map((key) => describe(meter, sent.get(key), reported.get(key)));
  viewers.sort((a, b) => b.stall_events - a.stall_events || compareBandwidth(a, b));
  return { total: viewers.length, viewers: viewers.slice(0, limits.activeViewersListed) };
}

function describe(meter: SentBytes, sent: SentViewer | undefined, reported: PresentViewer | undefined): ActiveViewer {
  const sentSince = sent === undefined ? Number.POSITIVE_INFINITY : meter.toTimeOfDay(sent.since);
  const kbps = sent === undefined ? null : currentKbps(meter, sent);
  return {
    form: reported?.form ?? null,
    address: sent?.network ?? reported?.network ?? '',
    quadrants: reported?.quadrants ?? 0,
    bandwidth_mbps: kbps === null ? null : kbps / 1_000,
    stall_events: reported?.stalls ?? 0,
    since: new Date(Math.min(sentSince, reported?.since ?? Number.POSITIVE_INFINITY)).toISOString(),
  };
}

function compareBandwidth({ bandwidth_mbps: a }: ActiveViewer, { bandwidth_mbps: b }: ActiveViewer): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a - b;
}
