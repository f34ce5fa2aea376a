import { SentHistory } from './sent-history.ts';

/** Hears of each portion of bytes that the system is given for one viewer. */
export interface ByteCounter {
  given(bytes: number): void;
}

interface Meter {
  count(viewer: SentViewer, bytes: number): void;
}

/** One viewer whom videos are sent to. */
export class SentViewer implements ByteCounter {
  readonly key: string;
  /** The client address that it first came from, whose share of the remembered viewers it counts in. */
  readonly address: string;
  /** The network that it comes from now. */
  network: string;
  readonly history = new SentHistory();
  /** By the meter's clock: when its answers began without a longer pause, and when it was last sent something. */
  since: number;
  lastAt: number;
  private readonly meter: Meter;

  constructor(meter: Meter, facts: { key: string; address: string; network: string; at: number }) {
    this.meter = meter;
    this.key = facts.key;
    this.address = facts.address;
    this.network = facts.network;
    this.since = facts.at;
    this.lastAt = facts.at;
  }

  given(bytes: number): void {
    if (bytes > 0) this.meter.count(this, bytes);
  }
}
