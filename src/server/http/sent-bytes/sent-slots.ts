/** How fast the network was in one slot of time. */
export interface SentSlot {
  /** Epoch milliseconds, a multiple of the slot's length. */
  startsAt: number;
  /** What the network gave each viewer who fetched enough to tell, in kilobits per second, summed over them. */
  kbps: number;
  /** How many they were, summed over the slots of `sentSlotMs` within it. */
  viewers: number;
}

/** In `fields`: start, kilobits per second, viewers. */
const fieldsPerSlot = 3;

/** The last slots of one length. Those in which nobody fetched take no room, each of the others 24 bytes. */
export class SentSlots {
  readonly slotMs: number;
  private readonly keptMs: number;
  private readonly fields: number[] = [];

  /** @param kept how many slots before the newest one stay */
  constructor(slotMs: number, kept: number) {
    this.slotMs = slotMs;
    this.keptMs = kept * slotMs;
  }

  /** @param at never before what was added last */
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

  /** Those that start then or later, the oldest first. */
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
