import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress, clientNetwork, isLoopback } from '../addresses/client-address.ts';
import type { ViewerRequest } from '../pipeline/viewer-cookie.ts';
import { viewerKey } from '../pipeline/viewer-cookie.ts';
import { SentHistory } from './sent-history.ts';
import { SentViewer } from './sent-viewer.ts';

/** Remembered at the same time: names of viewers are random, and anybody can make some up. */
const processLimits = {
  viewers: 4_096,
  /** Of one client address. This machine itself is exempt: behind an unnamed proxy everybody comes from there. */
  viewersPerAddress: 512,
  /** Of one network (/24 or /48), whose owner has many addresses. */
  viewersPerNetwork: 1_024,
};

const rememberedMs = limits.performanceHours * 3_600_000;
const pauseMs = limits.viewingSessionGapSeconds * 1_000;

/**
 * Counts bytes of videos that the system was given, and how fast the network delivered them: for each viewer, and for all
 * of them.
 */
export class SentBytes {
  /** The mean over the viewers. */
  readonly site = new SentHistory();
  private readonly clock: Clock;
  private readonly limits: typeof processLimits;
  private readonly origin: number;
  private readonly viewers = new Map<string, SentViewer>();
  /** How many of them are of one client address, or of one network. */
  private readonly counts = new Map<string, number>();
  private counted = 0;

  constructor(clock: Clock, limits: Partial<typeof processLimits> = {}) {
    this.clock = clock;
    this.limits = { ...processLimits, ...limits };
    this.origin = clock.now() - clock.elapsed();
  }

  /** Bytes since this process started. */
  get total(): number {
    return this.counted;
  }

  get size(): number {
    return this.viewers.size;
  }

  /**
   * The meter's clock, in whole milliseconds: the time of day as it was at the start and went on from there, which never
   * jumps.
   */
  now(): number {
    return Math.round(this.origin + this.clock.elapsed());
  }

  /** The time of day of an instant of the meter's clock, in epoch milliseconds. */
  toTimeOfDay(at: number): number {
    return at + this.clock.now() - this.now();
  }

  /** Whom an answer is for. Once for each answer. */
  viewer(request: ViewerRequest): SentViewer {
    const key = viewerKey(request);
    const known = this.viewers.get(key);
    if (known === undefined) return this.create(key, request);
    known.network = clientNetwork(request);
    return known;
  }

  /** Null for whom nothing was sent to. */
  find(request: ViewerRequest): SentViewer | null {
    return this.viewers.get(viewerKey(request)) ?? null;
  }

  /** Whether a viewer was sent something that is remembered. */
  hasSent(key: string): boolean {
    return (this.viewers.get(key)?.bytes ?? 0) > 0;
  }

  /** Who was sent something in the last so many milliseconds. */
  active(ms: number): SentViewer[] {
    const from = this.now() - ms;
    return [...this.viewers.values()].filter(({ lastAt }) => lastAt >= from);
  }

  count(viewer: SentViewer, bytes: number): void {
    const at = this.now();
    this.counted += bytes;
    viewer.bytes += bytes;
    if (at - viewer.lastAt > pauseMs) viewer.since = at;
    viewer.lastAt = at;
  }

  /** Those whose network was measured in the last so many milliseconds. */
  measured(ms: number): { at: number; kbps: number }[] {
    const from = this.now() - ms;
    return [...this.viewers.values()].flatMap(({ speed }) => (speed !== null && speed.at >= from ? speed : []));
  }

  /** Forgets viewers of whom there is nothing left to say. */
  freeIdle(): void {
    const until = this.now() - rememberedMs;
    for (const viewer of this.viewers.values()) if (viewer.lastAt < until) this.forget(viewer);
  }

  private create(key: string, request: ViewerRequest): SentViewer {
    const [address, network] = [clientAddress(request), clientNetwork(request)];
    const viewer = new SentViewer(this, { key, address, network, at: this.now() });
    this.makeRoom(viewer, !isLoopback(request.ip));
    for (const crowd of crowdsOf(viewer)) this.counts.set(crowd, (this.counts.get(crowd) ?? 0) + 1);
    this.viewers.set(key, viewer);
    return viewer;
  }

  private makeRoom(newcomer: SentViewer, isLimited: boolean): void {
    const { viewers: most, viewersPerAddress, viewersPerNetwork } = this.limits;
    const mosts = [viewersPerAddress, viewersPerNetwork];
    const isFull = (crowd: string, at: number) => (this.counts.get(crowd) ?? 0) >= (mosts[at] ?? most);
    const full = isLimited ? crowdsOf(newcomer).find(isFull) : undefined;
    if (full === undefined && this.viewers.size < most) return;
    const viewers = [...this.viewers.values()];
    this.forgetIdlest(full === undefined ? viewers : viewers.filter((viewer) => crowdsOf(viewer).includes(full)));
  }

  /** Who was sent nothing goes first. Several at a time: finding them is the expensive part. */
  private forgetIdlest(viewers: SentViewer[]): void {
    viewers.sort((a, b) => Number(a.bytes > 0) - Number(b.bytes > 0) || a.lastAt - b.lastAt);
    for (const viewer of viewers.slice(0, Math.ceil(viewers.length / 16))) this.forget(viewer);
  }

  private forget(viewer: SentViewer): void {
    this.viewers.delete(viewer.key);
    for (const crowd of crowdsOf(viewer)) {
      const left = (this.counts.get(crowd) ?? 1) - 1;
      if (left === 0) this.counts.delete(crowd);
      else this.counts.set(crowd, left);
    }
  }
}

/** Whom it counts among: those of its address, and those of its network. */
function crowdsOf({ address, firstNetwork }: SentViewer): string[] {
  return [`address ${address}`, `network ${firstNetwork}`];
}
