import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';

/**
 * How much is read for a client at a time. Whoever goes on taking it gets more, so that what lies in memory follows
 * what flows, not the number of clients: a client that never reads is given little before the system's own buffers are
 * full.
 */
export interface Pace {
  bytes: number;
  /** Bytes taken in a row, without making us wait. */
  taken: number;
  /** What `bytes` never exceeds. */
  readonly max: number;
}

/** Bytes. */
const minAtATime = 64 * 1024;
/** A whole range of the usual size: one change of threads and one call of the system for all of it. */
const maxAtATime = 1024 * 1024;
/**
 * Bytes that wait for one of many answers on an HTTP/2 connection fill the memory that this connection may have, and
 * all of them share it.
 */
const maxOfShared = 256 * 1024;
/** Large steps: memory of a few sizes only fits whoever asks next. */
const paceStep = 4;

/** As much as the system's own buffer takes from us for a client that never reads. */
const takenBeforeMore = 4 * 1024 * 1024;
/** Whoever asks for no more than this means to read it now. */
const shortAnswer = 2 * 1024 * 1024;

/**
 * @param isShared whether other answers travel on the same connection at the same time
 * @param answerBytes of the first answer on it
 */
export function startPace(isShared: boolean, answerBytes: number): Pace {
  const isTrusted = !isShared && answerBytes <= shortAnswer;
  return { bytes: isTrusted ? maxAtATime : minAtATime, taken: 0, max: isShared ? maxOfShared : maxAtATime };
}

/**
 * @param bytes that were written
 * @param hasStalled whether the client made us wait for it
 */
export function adjustPace(pace: Pace, bytes: number, hasStalled: boolean): void {
  pace.taken = hasStalled ? 0 : pace.taken + bytes;
  if (hasStalled) pace.bytes = Math.max(minAtATime, pace.bytes / paceStep);
  if (pace.taken < takenBeforeMore) return;
  hurryPace(pace);
  pace.taken = 0;
}

/** A client that took the whole of an answer does read. */
export function hurryPace(pace: Pace): void {
  pace.bytes = Math.min(pace.max, pace.bytes * paceStep);
}

/** Bytes that the system has not taken yet, because their client does not read. */
interface PendingWrite {
  bytes: number;
  /** Called once: what can be had again later should be let go of now. */
  onStall(): void;
  /** Ends the connection; a player comes back and asks for the rest. */
  cut(): void;
}

interface StallLimits {
  /** A write that waits for so long is stalled; it is seen half as long later at most. */
  afterMs: number;
  /** Beyond this those who have stalled for the longest are cut. */
  capBytes: number;
  /** Who has not taken what was written is cut: it has so long for each 64 KiB. */
  takesMs: number;
}

/** How often a write is checked before it counts as stalled. */
const checksBefore = 2;

/**
 * Keeps clients that do not read from costing much, one by one and together. It checks the pending writes at intervals
 * instead of by the clock: between two checks the loop has asked every socket once. So a client that takes what it gets
 * is never held to be slow because this process, or the machine, had no time for it.
 */
export class StallWatch {
  private readonly limits: StallLimits;
  private readonly checkMs: number;
  // Both in the order in which the writes began; with how often each was checked.
  private readonly fresh = new Map<PendingWrite, number>();
  private readonly stalled = new Map<PendingWrite, number>();
  private bytesStalled = 0;
  private timer: Repetition | undefined;

  constructor(limits: StallLimits) {
    this.limits = limits;
    this.checkMs = limits.afterMs / checksBefore;
  }

  /** Bytes held for clients that do not read. */
  get stalledBytes(): number {
    return this.bytesStalled;
  }

  /** @returns what to call when the write has ended */
  watch(write: PendingWrite): () => void {
    this.fresh.set(write, 0);
    this.timer ??= repeat(() => this.sweep(), this.checkMs);
    return () => this.forget(write);
  }

  /** Cuts whoever has stalled for the longest. @returns false when nobody has */
  cutLongest(): boolean {
    const [longest] = this.stalled.keys();
    if (longest !== undefined) this.end(longest);
    return longest !== undefined;
  }

  private sweep(): void {
    const { capBytes, takesMs } = this.limits;
    for (const [write, checks] of this.fresh) {
      if (checks >= checksBefore) this.stall(write);
      else this.fresh.set(write, checks + 1);
    }
    for (const [write, checks] of this.stalled) {
      if (this.bytesStalled > capBytes || checks * this.checkMs >= takesMs * Math.max(1, write.bytes / minAtATime))
        this.end(write);
      else this.stalled.set(write, checks + 1);
    }
    if (this.fresh.size > 0 || this.stalled.size > 0) return;
    this.timer?.stop();
    this.timer = undefined;
  }

  private stall(write: PendingWrite): void {
    this.fresh.delete(write);
    this.stalled.set(write, checksBefore + 1);
    this.bytesStalled += write.bytes;
    write.onStall();
  }

  private end(write: PendingWrite): void {
    this.forget(write);
    write.cut();
  }

  private forget(write: PendingWrite): void {
    if (!this.fresh.delete(write) && this.stalled.delete(write)) this.bytesStalled -= write.bytes;
  }
}
