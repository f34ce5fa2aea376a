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
  /** How many of them are of one client address. */
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
    const address = clientAddress(request);
    this.makeRoom(address, !isLoopback(request.ip));
    this.counts.set(address, (this.counts.get(address) ?? 0) + 1);
    const viewer = new SentViewer(this, { key, address, network: clientNetwork(request), at: this.now() });
    this.viewers.set(key, viewer);
    return viewer;
  }

  private makeRoom(address: string, isLimited: boolean): void {
    const { viewers: most, viewersPerAddress } = this.limits;
    const isFull = isLimited && (this.counts.get(address) ?? 0) >= viewersPerAddress;
    if (!isFull && this.viewers.size < most) return;
    const viewers = [...this.viewers.values()];
    this.forgetIdlest(isFull ? viewers.filter((viewer) => viewer.address === address) : viewers);
  }

  /** Several at a time: finding them is the expensive part. */
  private forgetIdlest(viewers: SentViewer[]): void {
    viewers.sort((a, b) => a.lastAt - b.lastAt);
    for (const viewer of viewers.slice(0, Math.ceil(viewers.length / 16))) this.forget(viewer);
  }

  private forget({ key, address }: SentViewer): void {
    this.viewers.delete(key);
    const left = (this.counts.get(address) ?? 1) - 1;
    if (left === 0) this.counts.delete(address);
    else this.counts.set(address, left);
  }
}
