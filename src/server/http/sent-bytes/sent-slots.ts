/** What was sent in one slot of time. */
export interface SentSlot {
  /** Epoch milliseconds, a multiple of the slot's length. */
  startsAt: number;
  bytes: number;
  /** How long viewers were being sent some, summed over them: whole steps of `sentSlotMs`. */
  viewerMs: number;
}

/** In `fields`: start, bytes, viewer milliseconds. */
const fieldsPerSlot = 3;

/** The last slots of one length. Those in which nothing was sent take no room, each of the others 24 bytes. */
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
  add(at: number, bytes: number, viewerMs: number): void {
    const { fields } = this;
    const startsAt = Math.floor(at / this.slotMs) * this.slotMs;
    const last = fields.length - fieldsPerSlot;
    if (last >= 0 && fields[last] === startsAt) {
      fields[last + 1] = (fields[last + 1] ?? 0) + bytes;
      fields[last + 2] = (fields[last + 2] ?? 0) + viewerMs;
      return;
    }
    fields.push(startsAt, bytes, viewerMs);
    const expired = this.indexFrom(startsAt - this.keptMs);
    if (expired > 0) fields.splice(0, expired);
  }

  /** Those that start then or later, the oldest first. */
  *from(startsAt: number): Generator<SentSlot> {
    const { fields } = this;
    for (let index = this.indexFrom(startsAt); index < fields.length; index += fieldsPerSlot)
      yield { startsAt: fields[index] ?? 0, bytes: fields[index + 1] ?? 0, viewerMs: fields[index + 2] ?? 0 };
  }

  private indexFrom(startsAt: number): number {
    let index = 0;
    while (index < this.fields.length && (this.fields[index] ?? 0) < startsAt) index += fieldsPerSlot;
    return index;
  }
}
