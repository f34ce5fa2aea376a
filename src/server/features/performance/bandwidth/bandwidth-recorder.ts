import type { Executor } from '../../../database/tables.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import { sentSlotMs } from '../../../http/sent-bytes/sent-history.ts';
import type { SentSlot } from '../../../http/sent-bytes/sent-slots.ts';
import { playbackStoredMs } from '../stats/playback-slots.ts';
import { deleteOldSlots } from '../stats/slots-repository.ts';
import type { StatsPart, UnwrittenStats } from '../stats/stats-writer.ts';
import type { StoredSlot } from './bandwidth-repository.ts';
import { addSlots } from './bandwidth-repository.ts';

/** How long the slots of a row are, in seconds. */
export const storedSlots = { short: 10, long: 60 } as const;

/** Stores how fast the network of the site's viewers was, slot by slot. */
export class BandwidthRecorder implements StatsPart {
  private readonly meter: SentBytes;
  private readonly node: string;
  /** By the meter's clock: slots that start earlier are stored. */
  private storedUntil = Number.NEGATIVE_INFINITY;

  /** @param node names this process among those that share the database */
  constructor(meter: SentBytes, node: string) {
    this.meter = meter;
    this.node = node;
  }

  /** Slots that are over and not stored; null when there are none. */
  unwritten(): UnwrittenStats | null {
    const slots = [...this.meter.site.slots(sentSlotMs, this.storedUntil, this.meter.now())];
    const last = slots.at(-1);
    if (last === undefined) return null;
    const rows = [...this.toRows(slots, storedSlots.short), ...this.toRows(slots, storedSlots.long)];
    return {
      write: (transaction) => addSlots(transaction, rows),
      markWritten: () => {
        this.storedUntil = last.startsAt + sentSlotMs;
      },
    };
  }

  async deleteOld(transaction: Executor, until: number): Promise<void> {
    for (const slotSeconds of [storedSlots.short, storedSlots.long])
      await deleteOldSlots(transaction, 'network_stats', slotSeconds, until - playbackStoredMs[slotSeconds]);
  }

  /** Frees viewers of whom nothing is left to say. */
  close(): void {
    this.meter.freeIdle();
  }

  /** One row for each slot of so many seconds, at its time of day. */
  private toRows(slots: readonly SentSlot[], slotSeconds: number): StoredSlot[] {
    const rows = new Map<number, StoredSlot>();
    for (const { startsAt, kbps, viewers } of slots) {
      const timeOfDay = Math.round(this.meter.toTimeOfDay(startsAt) / sentSlotMs) * sentSlotMs;
      const start = timeOfDay - (timeOfDay % (slotSeconds * 1_000));
      const row = rows.get(start) ?? { slotSeconds, startsAt: start, node: this.node, kbps: 0, viewers: 0 };
      rows.set(start, { ...row, kbps: row.kbps + kbps, viewers: row.viewers + viewers });
    }
    return [...rows.values()];
  }
}
