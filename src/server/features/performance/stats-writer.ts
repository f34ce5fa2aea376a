import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { Executor } from '../../database/tables.ts';
import type { SentBytes } from '../../http/connections/sent-bytes.ts';
import type { SentSlot } from '../../http/connections/sent-history.ts';
import { sentSlotMs } from '../../http/connections/sent-history.ts';
import type { StoredSlot } from './bandwidth-repository.ts';
import { addSlots } from './bandwidth-repository.ts';
import type { PlaybackSlots } from './playback-slots.ts';
import { playbackStoredMs, quadrantsAndAll } from './playback-slots.ts';
import type { OpenSlot } from './slots.ts';
import { deleteOldSlots, deleteVideoStats, storePlayback, storeVideoStats } from './stats-repository.ts';
import type { VideoCounts, VideoSlotSeconds, VideoSlots, VideoSums } from './video-slots.ts';
import { videosStoredMs } from './video-slots.ts';

/** What was not written yet, as it is at this moment; of much, the oldest piece. */
interface UnwrittenStats {
  write(transaction: Executor): Promise<void>;
  /** It is committed. */
  markWritten(): void;
}

/** Figures that are counted in memory and written from there. */
export interface StatsPart {
  /** Null when everything is written. */
  unwritten(): UnwrittenStats | null;
  /**
   * Deletes a small piece of what nobody asks for any more.
   * @param until the time of the sweeps
   */
  deleteOld(transaction: Executor, until: number): Promise<void>;
  /** Frees memory; comes after every write, whether it succeeded or not. */
  close(now: number): void;
}

/** Writes what was counted, all parts in one transaction. What could not be written stays in memory for the next time. */
export class StatsWriter {
  private readonly database: Database;
  private readonly sweepTime: SweepTime;
  private readonly parts: readonly StatsPart[];
  private last: Promise<unknown> = Promise.resolve();

  constructor({ database, sweepTime }: { database: Database; sweepTime: SweepTime }, parts: readonly StatsPart[]) {
    this.database = database;
    this.sweepTime = sweepTime;
    this.parts = parts;
  }

  /**
   * One after the other: of two at once, the one that knows less could be the last.
   * @param now epoch milliseconds
   * @returns whether there was anything to be written
   */
  write(now: number): Promise<boolean> {
    const next = this.last.then(() => this.writeParts(now));
    this.last = next.catch(() => {
      // Whoever asked for this write hears of it.
    });
    return next;
  }

  private async writeParts(now: number): Promise<boolean> {
    const unwritten = this.parts.flatMap((part) => part.unwritten() ?? []);
    try {
      const until = await this.sweepTime.read();
      await this.database.write(async (transaction) => {
        for (const stats of unwritten) await stats.write(transaction);
        for (const part of this.parts) await part.deleteOld(transaction, until);
      });
      for (const stats of unwritten) stats.markWritten();
      return unwritten.length > 0;
    } finally {
      for (const part of this.parts) part.close(now);
    }
  }
}

/** Writes how videos played. */
export function playbackPart(slots: PlaybackSlots): StatsPart {
  const sizes = Object.values(slots.sizes);
  return {
    unwritten() {
      const changed = sizes.map((size) => ({ size, written: size.unwritten() }));
      const rows = changed.flatMap(({ size, written }) =>
        written.flatMap(({ slot: { startsAt, node, content } }) =>
          quadrantsAndAll.map((quadrant) => ({
            slotSeconds: size.slotSeconds,
            startsAt,
            node,
            quadrant,
            sums: { ...content[quadrant] },
          })),
        ),
      );
      if (rows.length === 0) return null;
      return {
        write: (transaction) => storePlayback(transaction, rows),
        markWritten: () => {
          for (const { size, written } of changed) size.markWritten(written);
        },
      };
    },
    async deleteOld(transaction, until) {
      for (const [slotSeconds, storedMs] of Object.entries(playbackStoredMs))
        await deleteOldSlots(transaction, 'playback_stats', Number(slotSeconds), until - storedMs);
    },
    close: (now) => {
      for (const size of sizes) size.close(now);
    },
  };
}

type VideoSlot = OpenSlot<VideoCounts>;

/** Writes which videos stall and break: of each slot the rows that have changed, and no more than it may have. */
export class VideoPart implements StatsPart {
  private readonly slots: VideoSlots;
  /** The rows that a slot has in the database; null for one that may have been written or not. */
  private readonly rows = new WeakMap<VideoSlot, Map<string, VideoSums | null>>();

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

  private prepare(slotSeconds: VideoSlotSeconds, slot: VideoSlot): UnwrittenStats {
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
