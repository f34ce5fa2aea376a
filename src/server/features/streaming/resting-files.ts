import type { Clock } from '../../clock.ts';

/** Open files that nobody reads just now, kept for a moment because somebody is likely to come back. */
export interface RestingFiles<File> {
  add(file: File): void;
  /** Somebody reads it again, or it is closed already. */
  remove(file: File): void;
  closeAll(): Promise<void>;
}

export interface RestingLimits {
  /** How long one rests before it is closed. */
  idleMs: number;
  /** How many rest at most; those in use are as many as there are streams at most. */
  idleFiles: number;
}

/** @param close takes the file out as well */
export function createRestingFiles<File>(clock: Clock, { idleMs, idleFiles }: RestingLimits, close: (file: File) => Promise<void>): RestingFiles<File> {
  /** Since when, by `clock.elapsed()`; the one that rests for the longest first. */
  const resting = new Map<File, number>();
  let timer: NodeJS.Timeout | undefined;

  function closeRested(): void {
    const now = clock.elapsed();
    timer = undefined;
    for (const [file, since] of resting) {
      if (now - since >= idleMs) void close(file);
      else timer ??= setTimeout(closeRested, Math.max(1, idleMs - (now - since))).unref();
    }
  }

  return {
    add(file) {
      resting.set(file, clock.elapsed());
      const [oldest] = resting.size > idleFiles ? resting.keys() : [];
      if (oldest !== undefined) void close(oldest);
      timer ??= setTimeout(closeRested, idleMs).unref();
    },
    remove: (file) => void resting.delete(file),
    async closeAll() {
      clearTimeout(timer);
      timer = undefined;
      await Promise.all([...resting.keys()].map(close));
    },
  };
}
