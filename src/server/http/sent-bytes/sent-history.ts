import { limits } from '#contract/limits.ts';
import type { SentSlot } from './sent-slots.ts';
import { SentSlots } from './sent-slots.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** The unit of the history: each viewer counts in it once. */
export const sentSlotMs = 10 * second;

/** How far it is looked back in slots of which length. */
const layers = [
  { slotMs: sentSlotMs, keptMs: hour / 4 },
  { slotMs: minute, keptMs: hour },
  { slotMs: 5 * minute, keptMs: 6 * hour },
  { slotMs: 15 * minute, keptMs: limits.performanceHours * hour },
] as const;

/**
 * How fast the network of one viewer was, or of all of them together, up to 24 h back: 4 KB after ten minutes, 12 KB at
 * most. Instants are those of one clock that never jumps.
 */
export class SentHistory {
  private readonly layers = layers.map(({ slotMs, keptMs }) => new SentSlots(slotMs, keptMs / slotMs));
  /** The slot that is not over. */
  private open: SentSlot = { startsAt: Number.NEGATIVE_INFINITY, kbps: 0, viewers: 0 };

  /**
   * Adds to the slot of this instant.
   * @param kbps may be less than 0, where what was said of a viewer is corrected
   * @param viewers of whom nothing was said in this slot before
   */
  add(at: number, kbps: number, viewers: number): void {
    if (at >= this.open.startsAt + sentSlotMs) this.begin(at);
    this.open.kbps += kbps;
    this.open.viewers += viewers;
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
    const { startsAt, kbps, viewers } = this.open;
    if (viewers > 0) for (const layer of this.layers) layer.add(startsAt, kbps, viewers);
    this.open.kbps = 0;
    this.open.viewers = 0;
  }
}
