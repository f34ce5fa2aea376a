import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { ShareLimits } from '../../limits/shares.ts';
import { Shares } from '../../limits/shares.ts';
import { clientAddress, clientNetwork, isLoopback } from '../client-address.ts';
import type { ViewerRequest } from '../pipeline/cookies.ts';
import { viewerKey } from '../pipeline/cookies.ts';
import { SentHistory, sentSlotMs } from './sent-history.ts';

/** The most viewers that are remembered: anybody can make up more of their random names. */
const viewerLimits: ShareLimits = {
  total: 4_096,
  /**
   * This machine itself is exempt: all visitors come from there behind a proxy that `TRUST_PROXY`
   * does not name.
   */
  perAddress: 512,
  /** The owner of one network (/24 or /48) has many addresses. */
  perNetwork: 1_024,
};

const rememberedMs = limits.performanceHours * 3_600_000;
const pauseMs = limits.viewingSessionGapSeconds * 1_000;

/**
 * Counts the bytes of videos that were passed to the system, and measures how fast the network
 * delivered them: per viewer, and for all of them.
 */
export class SentBytes {
  /** The mean of all viewers. */
  readonly site = new SentHistory();
  private readonly clock: Clock;
  private readonly origin: number;
  private readonly viewers = new Map<string, SentViewer>();
  private readonly shares: Shares<SentViewer>;
  private counted = 0;

  constructor(clock: Clock, limits: ShareLimits = {}) {
    this.clock = clock;
    this.shares = new Shares({ ...viewerLimits, ...limits });
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
   * The meter's clock, in whole milliseconds: the time of day at the start plus the time elapsed
   * since. It never jumps.
   */
  now(): number {
    return Math.round(this.origin + this.clock.elapsed());
  }

  /** Converts an instant of the meter's clock to the time of day, in epoch milliseconds. */
  toTimeOfDay(at: number): number {
    return at + this.clock.now() - this.now();
  }

  /** The viewer that an answer is for. Called once per answer. */
  viewer(request: ViewerRequest): SentViewer {
    const key = viewerKey(request);
    const known = this.viewers.get(key);
    if (known === undefined) return this.create(key, request);
    known.network = clientNetwork(request);
    return known;
  }

  /** Finds a viewer; null if nothing was sent to it. */
  find(request: ViewerRequest): SentViewer | null {
    return this.viewers.get(viewerKey(request)) ?? null;
  }

  /** Whether bytes were sent to a viewer that is still remembered. */
  hasSent(key: string): boolean {
    return (this.viewers.get(key)?.bytes ?? 0) > 0;
  }

  /** The viewers to whom bytes were sent in the last `ms` milliseconds. */
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

  /** The speeds of the viewers whose network was measured in the last `ms` milliseconds. */
  measured(ms: number): { at: number; kbps: number }[] {
    const from = this.now() - ms;
    return [...this.viewers.values()].flatMap(({ speed }) => (speed !== null && speed.at >= from ? speed : []));
  }

  /** Forgets the viewers whose history has expired. */
  freeIdle(): void {
    const until = this.now() - rememberedMs;
    for (const viewer of this.viewers.values()) if (viewer.lastAt < until) this.forget(viewer);
  }

  private create(key: string, request: ViewerRequest): SentViewer {
    const network = clientNetwork(request);
    const holders = isLoopback(request.ip) ? {} : { address: clientAddress(request), network };
    const full = this.shares.findFull(holders);
    if (full !== null) this.forgetIdlest(full.list());
    const viewer = new SentViewer(this, { key, network, at: this.now() });
    this.shares.add(viewer, holders);
    this.viewers.set(key, viewer);
    return viewer;
  }

  /**
   * Forgets viewers, those without bytes first. Several at a time, since finding them is expensive.
   */
  private forgetIdlest(viewers: SentViewer[]): void {
    viewers.sort((a, b) => Number(a.bytes > 0) - Number(b.bytes > 0) || a.lastAt - b.lastAt);
    for (const viewer of viewers.slice(0, Math.ceil(viewers.length / 16))) this.forget(viewer);
  }

  private forget(viewer: SentViewer): void {
    this.viewers.delete(viewer.key);
    this.shares.remove(viewer);
  }
}

/** Receives the number of bytes each time some are passed to the system for one viewer. */
export interface ByteCounter {
  given(bytes: number): void;
}

/** The bytes that the network delivered, and how long it took while the client was reading. */
export interface Delivery {
  bytes: number;
  ms: number;
}

interface Meter {
  now(): number;
  count(viewer: SentViewer, bytes: number): void;
  readonly site: SentHistory;
}

/**
 * Fewer bytes do not show the speed of a network, unless they take `tellingMs`: a small answer
 * takes one round trip.
 */
const tellingBytes = 256 * 1024;
const tellingMs = 1_000;
const currentMs = limits.currentBandwidthSeconds * 1_000;

/** One viewer to whom videos are sent. */
export class SentViewer implements ByteCounter {
  readonly key: string;
  /** The current network of this viewer; the first one counts in the shares. */
  network: string;
  readonly history = new SentHistory();
  /**
   * The start of its viewing without longer pauses, and the last time that bytes were sent; by the
   * meter's clock.
   */
  since: number;
  lastAt: number;
  /** The total of bytes that were passed to the system for it. */
  bytes = 0;
  /** The last measured speed of its network, in kilobits per second, and when that was. */
  speed: { at: number; kbps: number } | null = null;
  private readonly meter: Meter;
  /** The deliveries of the last `currentBandwidthSeconds`. */
  private recent: (Delivery & { at: number })[] = [];
  /** `kbps` is the speed that the histories already contain for this slot. */
  private slot: Delivery & { startsAt: number; kbps: number | null } = emptySlot(Number.NEGATIVE_INFINITY);

  constructor(meter: Meter, facts: { key: string; network: string; at: number }) {
    this.meter = meter;
    this.key = facts.key;
    this.network = facts.network;
    this.since = facts.at;
    this.lastAt = facts.at;
  }

  given(bytes: number): void {
    if (bytes > 0) this.meter.count(this, bytes);
  }

  /** Records bytes that the client received; called about once a second while answers are sent. */
  delivered(delivery: Delivery): void {
    const at = this.meter.now();
    this.recent = [...this.recent.filter((each) => each.at > at - currentMs), { ...delivery, at }];
    const kbps = speedOf(sum(this.recent));
    if (kbps !== null) this.speed = { at, kbps };
    this.recordSlot(at, delivery);
  }

  private recordSlot(at: number, { bytes, ms }: Delivery): void {
    if (at >= this.slot.startsAt + sentSlotMs) this.slot = emptySlot(Math.floor(at / sentSlotMs) * sentSlotMs);
    const { slot } = this;
    slot.bytes += bytes;
    slot.ms += ms;
    const kbps = speedOf(slot);
    if (kbps === null) return;
    const change = kbps - (slot.kbps ?? 0);
    for (const history of [this.history, this.meter.site]) history.add(at, change, slot.kbps === null ? 1 : 0);
    slot.kbps = kbps;
  }
}

function emptySlot(startsAt: number): Delivery & { startsAt: number; kbps: number | null } {
  return { startsAt, bytes: 0, ms: 0, kbps: null };
}

function sum(deliveries: readonly Delivery[]): Delivery {
  const total = { bytes: 0, ms: 0 };
  for (const { bytes, ms } of deliveries) {
    total.bytes += bytes;
    total.ms += ms;
  }
  return total;
}

/**
 * Speed in kilobits per second; null if there is too little to measure. The system counts whole
 * milliseconds, so 0 counts as 1.
 */
function speedOf({ bytes, ms }: Delivery): number | null {
  if (bytes < tellingBytes && ms < tellingMs) return null;
  return Math.round((bytes * 8) / Math.max(1, ms));
}
