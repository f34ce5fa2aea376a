import { limits } from '#contract/limits.ts';
import type { SentSlot } from './sent-slots.ts';
import { SentSlots } from './sent-slots.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** Whoever is sent anything in such a slot counts as watching for all of it. */
export const sentSlotMs = 10 * second;
export const currentMs = limits.currentBandwidthSeconds * second;

/** How far it is looked back in slots of which length. */
const layers = [
  { slotMs: sentSlotMs, keptMs: hour / 4 },
  { slotMs: minute, keptMs: hour },
  { slotMs: 5 * minute, keptMs: 6 * hour },
  { slotMs: 15 * minute, keptMs: limits.performanceHours * hour },
] as const;

/**
 * What one viewer was sent, or all of them together, up to 24 h back: 4 KB after ten minutes, 12 KB at most. Instants
 * are those of one clock that never jumps.
 */
export class SentHistory {
  private readonly seconds = new SentSlots(second, currentMs / second);
  private readonly layers = layers.map(({ slotMs, keptMs }) => new SentSlots(slotMs, keptMs / slotMs));
  /** The slot that is not over. */
  private open: SentSlot = { startsAt: Number.NEGATIVE_INFINITY, bytes: 0, viewerMs: 0 };

  /** @returns whether they are the first in a slot of `sentSlotMs` */
  add(at: number, bytes: number): boolean {
    const isFirst = at >= this.open.startsAt + sentSlotMs;
    if (isFirst) this.begin(at);
    this.open.bytes += bytes;
    this.seconds.add(at, bytes, 0);
    return isFirst;
  }

  /** In the slot in which something was just added. */
  addViewer(): void {
    this.open.viewerMs += sentSlotMs;
  }

  /** Bytes of the last `currentMs`. Of the second at its edge the share counts that lies within. */
  bytesNow(at: number): number {
    const from = at - currentMs;
    let bytes = 0;
    for (const slot of this.seconds.from(from - second + 1)) {
      const share = Math.min(1, (slot.startsAt + second - from) / second);
      bytes += slot.bytes * Math.max(0, share);
    }
    return bytes;
  }

  /**
   * Slots that are over and start at `from` or later, the oldest first.
   * @param slotMs 10 s, 1, 5 or 15 min; the last of the longer ones has what is over of it
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
    const { startsAt, bytes, viewerMs } = this.open;
    if (bytes > 0) for (const layer of this.layers) layer.add(startsAt, bytes, viewerMs);
    this.open.bytes = 0;
    this.open.viewerMs = 0;
  }
}
