import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import { leastAtATime } from './pace.ts';

/** Bytes that the system has not taken yet, because their client does not read. */
export interface PendingWrite {
  bytes: number;
  /** Told once: what can be had again later should be let go of now. */
  onStall(): void;
  /** Ends the connection; a player comes back and asks for the rest. */
  cut(): void;
}

/** Keeps clients that do not read from costing much, one by one and together. */
export interface StallWatch {
  /** Bytes held for clients that do not read. */
  readonly stalledBytes: number;
  /** @returns what to call when the write has ended */
  watch(write: PendingWrite): () => void;
  /** Cuts whoever has stalled for the longest. @returns false when nobody has */
  cutLongest(): boolean;
}

interface StallLimits {
  /** A write that waits for so long is stalled; it is seen half as long later at most. */
  afterMs: number;
  /** Beyond this those who have stalled for the longest are cut. */
  capBytes: number;
  /** Who has not taken what was written is cut: it has so long for each 64 KiB. */
  takesMs: number;
}

/** How often a write is looked at before it counts as stalled. */
const looksBefore = 2;

/**
 * Looks at the pending writes now and then instead of at the clock: between two looks the loop has asked every socket once. So a client that
 * takes what it gets is never held to be slow because this process, or the machine, had no time for it.
 */
export function createStallWatch({ afterMs, capBytes, takesMs }: StallLimits): StallWatch {
  const lookMs = afterMs / looksBefore;
  // Both in the order in which the writes began; with how often each was looked at.
  const fresh = new Map<PendingWrite, number>();
  const stalled = new Map<PendingWrite, number>();
  let stalledBytes = 0;
  let timer: Repetition | undefined;

  function sweep(): void {
    for (const [write, looks] of fresh) {
      if (looks >= looksBefore) stall(write);
      else fresh.set(write, looks + 1);
    }
    for (const [write, looks] of stalled) {
      if (stalledBytes > capBytes || looks * lookMs >= takesMs * Math.max(1, write.bytes / leastAtATime)) end(write);
      else stalled.set(write, looks + 1);
    }
    if (fresh.size > 0 || stalled.size > 0) return;
    timer?.stop();
    timer = undefined;
  }

  function stall(write: PendingWrite): void {
    fresh.delete(write);
    stalled.set(write, looksBefore + 1);
    stalledBytes += write.bytes;
    write.onStall();
  }

  function end(write: PendingWrite): void {
    forget(write);
    write.cut();
  }

  function forget(write: PendingWrite): void {
    if (!fresh.delete(write) && stalled.delete(write)) stalledBytes -= write.bytes;
  }

  return {
    get stalledBytes() {
      return stalledBytes;
    },
    watch(write) {
      fresh.set(write, 0);
      timer ??= repeat(sweep, lookMs);
      return () => forget(write);
    },
    cutLongest() {
      const [longest] = stalled.keys();
      if (longest !== undefined) end(longest);
      return longest !== undefined;
    },
  };
}
