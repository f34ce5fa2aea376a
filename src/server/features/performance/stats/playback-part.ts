import type { PlaybackSlots } from './playback-slots.ts';
import { playbackStoredMs } from './playback-slots.ts';
import { storePlayback } from './playback-stats-repository.ts';
import { quadrantsAndAll } from './playback-sums.ts';
import { deleteOldSlots } from './slots-repository.ts';
import type { StatsPart } from './stats-writer.ts';

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
