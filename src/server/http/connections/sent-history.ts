import { limits } from '#contract/limits.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** The unit of the history: each viewer counts once in a slot. */
export const sentSlotMs = 10 * second;

/** The lengths of slots, and how far back each of them reaches. */
const layers = [
  { slotMs: sentSlotMs, keptMs: hour / 4 },
  { slotMs: minute, keptMs: hour },
  { slotMs: 5 * minute, keptMs: 6 * hour },
  { slotMs: 15 * minute, keptMs: limits.performanceHours * hour },
] as const;

/**
 * The network speed of one viewer, or of all viewers together, up to 24 h back: 4 KB after ten
 * minutes, 12 KB at most. All instants belong to one clock that never jumps.
 */
export class SentHistory {
  private readonly layers = layers.map(({ slotMs, keptMs }) => new SentSlots(slotMs, keptMs / slotMs));
  /** The current slot, which is not over. */
  private open: SentSlot = { startsAt: Number.NEGATIVE_INFINITY, kbps: 0, viewers: 0 };

  /**
   * Adds to the slot of this instant.
   * @param kbps may be negative, to correct an earlier value of a viewer
   * @param viewers the number of viewers that had no value in this slot before
   */
  add(at: number, kbps: number, viewers: number): void {
    if (at >= this.open.startsAt + sentSlotMs) this.begin(at);
    this.open.kbps += kbps;
    this.open.viewers += viewers;
  }

  /**
   * The slots that are over and start at `from` or later, the oldest first.
   * @param slotMs 10 s, 1, 5 or 15 min; the last slot of the longer ones holds what is over of it
   */
  slots(slotMs: number, from: number, at: number): Iterable<SentSlot> {
    if (at >= this.open.startsAt + sentSlotMs) this.commit();
    const layer = this.layers.find((each) => each.slotMs === slotMs);
    if (layer === undefined) throw new RangeError(`Nothing is counted in slots of ${slotMs} ms.`);
    return layer.from(from);
  }

  private begin(at: number): void {
    this.commit();
    this.open.startsAt = Math.floor(at / sentSlotMs) * sentSlotMs;
  }

  private commit(): void {
    const { startsAt, kbps, viewers } = this.open;
    if (viewers > 0) for (const layer of this.layers) layer.add(startsAt, kbps, viewers);
    this.open.kbps = 0;
    this.open.viewers = 0;
  }
}

/** The network speed in one slot of time. */
export interface SentSlot {
  /** Epoch milliseconds, a multiple of the slot's length. */
  startsAt: number;
  /** The sum of the speeds of all viewers that could be measured, in kilobits per second. */
  kbps: number;
  /** The number of those viewers, summed over the slots of `sentSlotMs` within this one. */
  viewers: number;
}

/** The fields of a slot: start, kilobits per second, viewers. */
const fieldsPerSlot = 3;

/** The last slots of one length. A slot takes 24 bytes, or none without a measurement. */
class SentSlots {
  readonly slotMs: number;
  private readonly keptMs: number;
  private readonly fields: number[] = [];

  /** @param kept the number of slots kept before the newest one */
  constructor(slotMs: number, kept: number) {
    this.slotMs = slotMs;
    this.keptMs = kept * slotMs;
  }

  /** @param at never earlier than the instant of the last call */
  add(at: number, kbps: number, viewers: number): void {
    const { fields } = this;
    const startsAt = Math.floor(at / this.slotMs) * this.slotMs;
    const last = fields.length - fieldsPerSlot;
    if (last >= 0 && fields[last] === startsAt) {
      fields[last + 1] = (fields[last + 1] ?? 0) + kbps;
      fields[last + 2] = (fields[last + 2] ?? 0) + viewers;
      return;
    }
    fields.push(startsAt, kbps, viewers);
    const expired = this.indexFrom(startsAt - this.keptMs);
    if (expired > 0) fields.splice(0, expired);
  }

  /** The slots that start at this instant or later, the oldest first. */
  *from(startsAt: number): Generator<SentSlot> {
    const { fields } = this;
    for (let index = this.indexFrom(startsAt); index < fields.length; index += fieldsPerSlot)
      yield { startsAt: fields[index] ?? 0, kbps: fields[index + 1] ?? 0, viewers: fields[index + 2] ?? 0 };
  }

  private indexFrom(startsAt: number): number {
    let index = 0;
    while (index < this.fields.length && (this.fields[index] ?? 0) < startsAt) index += fieldsPerSlot;
    return index;
  }
}
