import type { EncodeReason } from '../jobs/renditions-to-make.ts';
import { isForFreeRoom } from '../jobs/renditions-to-make.ts';
import type { StoredItem } from './stored-item-repository.ts';

const day = 24 * 3_600_000;

export interface RoomRequest {
  /** Bytes that have to go. */
  bytes: number;
  reason: EncodeReason;
  /** Epoch milliseconds. */
  now: number;
  isPlaying(item: StoredItem): boolean;
}

/**
 * What goes to make room: what was used least recently of that without which its video plays, then what nobody has
 * played for a day. Nothing goes for work in the background.
 * @returns less than was asked for when there is no more that may go
 */
export function chooseEvictions(
  items: readonly StoredItem[],
  { bytes, reason, now, isPlaying }: RoomRequest,
): StoredItem[] {
  if (bytes <= 0 || isForFreeRoom(reason)) return [];
  const removable = items
    .filter((item) => !isPlaying(item) && (!item.isNeeded || item.usedAt < now - day))
    .sort((one, other) => Number(one.isNeeded) - Number(other.isNeeded) || one.usedAt - other.usedAt);
  const chosen: StoredItem[] = [];
  for (let freed = 0; freed < bytes; freed += chosen.at(-1)?.bytes ?? 0) {
    const next = removable[chosen.length];
    if (next === undefined) break;
    chosen.push(next);
  }
  return chosen;
}
