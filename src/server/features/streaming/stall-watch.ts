import type { Clock } from '../../clock.ts';

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
}

interface StallLimits {
  /** A write that waits for longer is stalled. */
  afterMs: number;
  /** Beyond this those who have stalled for the longest are cut. */
  capBytes: number;
}

export function createStallWatch(clock: Clock, { afterMs, capBytes }: StallLimits): StallWatch {
  // Both in the order in which the writes began.
  const fresh = new Map<PendingWrite, number>();
  const stalled = new Set<PendingWrite>();
  let stalledBytes = 0;
  let timer: NodeJS.Timeout | undefined;

  function sweep(): void {
    const before = clock.elapsed() - afterMs;
    for (const [write, startedAt] of fresh) {
      if (startedAt > before) break;
      stall(write);
    }
    for (const write of stalled) {
      if (stalledBytes <= capBytes) break;
      forget(write);
      write.cut();
    }
    if (fresh.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function stall(write: PendingWrite): void {
    fresh.delete(write);
    stalled.add(write);
    stalledBytes += write.bytes;
    write.onStall();
  }

  function forget(write: PendingWrite): void {
    if (!fresh.delete(write) && stalled.delete(write)) stalledBytes -= write.bytes;
  }

  return {
    get stalledBytes() {
      return stalledBytes;
    },
    watch(write) {
      fresh.set(write, clock.elapsed());
      timer ??= setInterval(sweep, afterMs / 2).unref();
      return () => forget(write);
    },
  };
}
