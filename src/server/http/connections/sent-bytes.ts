import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress, clientNetwork, isLoopback } from '../client-address.ts';
import type { ViewerRequest } from '../pipeline/cookies.ts';
import { viewerKey } from '../pipeline/cookies.ts';
import { SentHistory, sentSlotMs } from './sent-history.ts';

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

/** Hears of each portion of bytes that the system is given for one viewer. */
export interface ByteCounter {
  given(bytes: number): void;
}

/** What the network delivered, and how long it was at it while the client was reading. */
export interface Delivery {
  bytes: number;
  ms: number;
}

interface Meter {
  now(): number;
  count(viewer: SentViewer, bytes: number): void;
  readonly site: SentHistory;
}

/** Less tells nothing of a network, unless it takes `tellingMs`: an answer of few bytes takes one way there and back. */
const tellingBytes = 256 * 1024;
const tellingMs = 1_000;
const currentMs = limits.currentBandwidthSeconds * 1_000;

/** One viewer whom videos are sent to. */
export class SentViewer implements ByteCounter {
  readonly key: string;
  /** The client address that it first came from, whose share of the remembered viewers it counts in. */
  readonly address: string;
  /** The network that it first came from, in the same way. */
  readonly firstNetwork: string;
  /** The network that it comes from now. */
  network: string;
  readonly history = new SentHistory();
  /** By the meter's clock: when its answers began without a longer pause, and when it was last sent something. */
  since: number;
  lastAt: number;
  /** All that the system was given for it. */
  bytes = 0;
  /** What its network gave when it last fetched enough to tell, in kilobits per second, and when that was. */
  speed: { at: number; kbps: number } | null = null;
  private readonly meter: Meter;
  /** Of the last `currentBandwidthSeconds`. */
  private recent: (Delivery & { at: number })[] = [];
  /** `kbps` is what the histories were told of this slot. */
  private slot: Delivery & { startsAt: number; kbps: number | null } = emptySlot(Number.NEGATIVE_INFINITY);

  constructor(meter: Meter, facts: { key: string; address: string; network: string; at: number }) {
    this.meter = meter;
    this.key = facts.key;
    this.address = facts.address;
    this.firstNetwork = facts.network;
    this.network = facts.network;
    this.since = facts.at;
    this.lastAt = facts.at;
  }

  given(bytes: number): void {
    if (bytes > 0) this.meter.count(this, bytes);
  }

  /** The client has received so much; called about once a second while answers are under way. */
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

/** Kilobits per second; null when it is too little to tell. The system counts whole milliseconds: none is one. */
function speedOf({ bytes, ms }: Delivery): number | null {
  if (bytes < tellingBytes && ms < tellingMs) return null;
  return Math.round((bytes * 8) / Math.max(1, ms));
}
