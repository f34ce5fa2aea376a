import type { Executor } from '../../../database/tables.ts';
import type { OpenSlot } from '../stats/open-slots.ts';
import { deleteOldSlots } from '../stats/slots-repository.ts';
import type { StatsPart, UnwrittenStats } from '../stats/stats-writer.ts';
import type { VideoCounts } from './video-counts.ts';
import type { VideoSlotSeconds, VideoSlots } from './video-slots.ts';
import { videosStoredMs } from './video-slots.ts';
import { deleteVideoStats, storeVideoStats } from './video-stats-repository.ts';
import type { VideoSums } from './video-sums.ts';

type Slot = OpenSlot<VideoCounts>;

/** Writes which videos stall and break: of each slot the rows that have changed, and no more than it may have. */
export class VideoPart implements StatsPart {
  private readonly slots: VideoSlots;
  /** The rows that a slot has in the database; null for one that may have been written or not. */
  private readonly rows = new WeakMap<Slot, Map<string, VideoSums | null>>();

  constructor(slots: VideoSlots) {
    this.slots = slots;
  }

  unwritten(): UnwrittenStats | null {
    const changed = Object.values(this.slots.sizes).map((size) => ({ size, written: size.unwritten() }));
    const writes = changed.flatMap(({ size, written }) =>
      written.map(({ slot }) => this.prepare(size.slotSeconds as VideoSlotSeconds, slot)),
    );
    if (writes.length === 0) return null;
    return {
      async write(transaction) {
        for (const { write } of writes) await write(transaction);
      },
      markWritten() {
        for (const { size, written } of changed) size.markWritten(written);
        for (const { markWritten } of writes) markWritten();
      },
    };
  }

  async deleteOld(transaction: Executor, until: number): Promise<void> {
    for (const [slotSeconds, storedMs] of Object.entries(videosStoredMs))
      await deleteOldSlots(transaction, 'video_stats', Number(slotSeconds), until - storedMs);
  }

  close(now: number): void {
    for (const size of Object.values(this.slots.sizes)) size.close(now);
  }

  private prepare(slotSeconds: VideoSlotSeconds, slot: Slot): UnwrittenStats {
    const rows = this.rows.get(slot) ?? new Map<string, VideoSums | null>();
    this.rows.set(slot, rows);
    const listed = slot.content.listStored().map(([id, sums]) => [id, { ...sums }] as const);
    const changed = listed.filter(([id, sums]) => !isSame(rows.get(id), sums));
    const ids = new Set(listed.map(([id]) => id));
    const displaced = [...rows.keys()].filter((id) => !ids.has(id));
    for (const [id] of changed) rows.set(id, null);
    const key = { slotSeconds, startsAt: slot.startsAt, node: slot.node };
    return {
      async write(transaction) {
        await deleteVideoStats(transaction, key, displaced);
        await storeVideoStats(transaction, key, changed);
      },
      markWritten() {
        for (const id of displaced) rows.delete(id);
        for (const [id, sums] of changed) rows.set(id, sums);
      },
    };
  }
}

function isSame(known: VideoSums | null | undefined, sums: VideoSums): boolean {
  return known?.stalls === sums.stalls && known.failures === sums.failures && known.playedMs === sums.playedMs;
}
