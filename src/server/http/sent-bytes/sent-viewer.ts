import { limits } from '#contract/limits.ts';
import { SentHistory, sentSlotMs } from './sent-history.ts';

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
