import type { Database } from '../../database/connection.ts';
import type { SweepTime } from '../../database/sweep-time.ts';
import type { Executor } from '../../database/tables.ts';
import type { SentBytes } from '../../http/connections/sent-bytes.ts';
import type { SentSlot } from '../../http/connections/sent-history.ts';
import { sentSlotMs } from '../../http/connections/sent-history.ts';
import type { PlaybackSlots } from './playback-slots.ts';
import { playbackStoredMs, quadrantsAndAll } from './playback-slots.ts';
import type { StoredSlot } from './slot-repository.ts';
import { bandwidthRepository, slotRepository } from './slot-repository.ts';
import type { OpenSlot } from './slots.ts';
import { summedBefore } from './slots.ts';
import { statsRepository } from './stats-repository.ts';
import type { VideoCounts, VideoSlotSeconds, VideoSlots, VideoSums } from './video-slots.ts';
import { videosStoredMs } from './video-slots.ts';

/**
 * Counts that are not written yet, as they are at this moment; when there are many, the oldest
 * ones.
 */
interface UnwrittenStats {
  write(transaction: Executor): Promise<void>;
  /** Called once the transaction is committed. */
  markWritten(): void;
}

/** Statistics that are counted in memory and written from there. */
export interface StatsPart {
  /** Returns null when everything is written. */
  unwritten(): UnwrittenStats | null;
  /**
   * Deletes a small portion of the rows that no window reads any more, and sums a small portion of
   * those that several processes wrote long ago.
   * @param until the time of the sweeps, which moves once a minute
   */
  tidy(transaction: Executor, until: number, hasMoved: boolean): Promise<void>;
  /** Frees memory; called after every write, successful or not. */
  close(now: number): void;
}

/**
 * Writes the counts of all parts in one transaction. Counts that could not be written stay in
 * memory for the next attempt.
 */
export class StatsWriter {
  private readonly database: Database;
  private readonly sweepTime: SweepTime;
  private readonly parts: readonly StatsPart[];
  private last: Promise<unknown> = Promise.resolve();
  private sweptUntil = Number.NaN;

  constructor({ database, sweepTime }: { database: Database; sweepTime: SweepTime }, parts: readonly StatsPart[]) {
    this.database = database;
    this.sweepTime = sweepTime;
    this.parts = parts;
  }

  /**
   * Writes one after another: of two parallel writes, the one with older counts could come last.
   * @param now epoch milliseconds
   * @returns whether there was anything to write
   */
  write(now: number): Promise<boolean> {
    const next = this.last.then(() => this.writeParts(now));
    this.last = next.catch(() => {
      // The caller of this write handles the error.
    });
    return next;
  }

  private async writeParts(now: number): Promise<boolean> {
    const unwritten = this.parts.flatMap((part) => part.unwritten() ?? []);
    try {
      const until = await this.sweepTime.read();
      const hasMoved = until !== this.sweptUntil;
      this.sweptUntil = until;
      await this.database.write(async (transaction) => {
        for (const stats of unwritten) await stats.write(transaction);
        for (const part of this.parts) await part.tidy(transaction, until, hasMoved);
      });
      for (const stats of unwritten) stats.markWritten();
      return unwritten.length > 0;
    } finally {
      for (const part of this.parts) part.close(now);
    }
  }
}

/** Writes the playback statistics. */
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
        write: (transaction) => statsRepository.storePlayback(transaction, rows),
        markWritten: () => {
          for (const { size, written } of changed) size.markWritten(written);
        },
      };
    },
    tidy: tidyOf('playback_stats', playbackStoredMs),
    close: (now) => {
      for (const size of sizes) size.close(now);
    },
  };
}

type VideoSlot = OpenSlot<VideoCounts>;

/**
 * Writes the stalls and failures of videos: the changed rows of each slot, within the limit of rows
 * per slot.
 */
export class VideoPart implements StatsPart {
  readonly tidy = tidyOf('video_stats', videosStoredMs);
  private readonly slots: VideoSlots;
  /** The rows of a slot in the database; null for a row whose write is not confirmed. */
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
        await statsRepository.deleteVideoStats(transaction, key, displaced);
        await statsRepository.storeVideoStats(transaction, key, changed);
      },
      markWritten() {
        for (const id of displaced) rows.delete(id);
        for (const [id, sums] of changed) rows.set(id, sums);
      },
    };
  }
}

/** @param storedMs how long the slots of each length are stored */
function tidyOf(
  table: Parameters<typeof slotRepository.sumOld>[1],
  storedMs: Readonly<Record<number, number>>,
): StatsPart['tidy'] {
  return async (transaction, until, hasMoved) => {
    for (const [length, forMs] of Object.entries(storedMs)) {
      const slotSeconds = Number(length);
      await slotRepository.deleteOld(transaction, table, slotSeconds, until - forMs);
      const before = summedBefore(slotSeconds, until);
      if (hasMoved && before > until - forMs) await slotRepository.sumOld(transaction, table, slotSeconds, before);
    }
  };
}

function isSame(known: VideoSums | null | undefined, sums: VideoSums): boolean {
  return known?.stalls === sums.stalls && known.failures === sums.failures && known.playedMs === sums.playedMs;
}

/** The lengths of stored slots, in seconds. */
export const storedSlots = { short: 10, long: 60 } as const;

/** Stores the bandwidth of the site's viewers, slot by slot. */
export class BandwidthRecorder implements StatsPart {
  readonly tidy = tidyOf('network_stats', playbackStoredMs);
  private readonly meter: SentBytes;
  private readonly node: string;
  /** Slots that start before this time of the meter's clock are stored. */
  private storedUntil = Number.NEGATIVE_INFINITY;

  /** @param node names this process among those that share the database */
  constructor(meter: SentBytes, node: string) {
    this.meter = meter;
    this.node = node;
  }

  /** Completed slots that are not stored; null when there are none. */
  unwritten(): UnwrittenStats | null {
    const slots = [...this.meter.site.slots(sentSlotMs, this.storedUntil, this.meter.now())];
    const last = slots.at(-1);
    if (last === undefined) return null;
    const rows = [...this.toRows(slots, storedSlots.short), ...this.toRows(slots, storedSlots.long)];
    return {
      write: (transaction) => bandwidthRepository.add(transaction, rows),
      markWritten: () => {
        this.storedUntil = last.startsAt + sentSlotMs;
      },
    };
  }

  /** Frees viewers without recent measurements. */
  close(): void {
    this.meter.freeIdle();
  }

  /** Sums into one row for each slot of `slotSeconds`, at its time of day. */
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
