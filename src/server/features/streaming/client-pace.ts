import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';

/**
 * The number of bytes read for a client at a time. It grows while the client keeps taking them, so
 * that memory follows the flow of bytes, not the number of clients: a client that never reads gets
 * small portions until the buffers of the system are full.
 */
export interface ClientPace {
  bytes: number;
  /** Bytes taken in a row without a stall. */
  taken: number;
  /** The upper limit of `bytes`. */
  readonly max: number;
}

/** In bytes. */
const minAtATime = 64 * 1024;
/** A whole range of the usual size, read with one thread switch and one system call. */
const maxAtATime = 1024 * 1024;
/**
 * Answers on an HTTP/2 connection share the memory that the connection may use, and waiting bytes
 * of one answer fill it.
 */
const maxOfShared = 256 * 1024;
/** The step is large, so that buffers have few sizes and fit the next request. */
const paceStep = 4;

/** The bytes that the buffers of the system take for a client that never reads. */
const takenBeforeMore = 4 * 1024 * 1024;
/** A client that requests no more than this intends to read it now. */
const shortAnswer = 2 * 1024 * 1024;

/**
 * @param isShared whether other answers use the same connection at the same time
 * @param answerBytes the size of the first answer on the connection
 */
export function startPace(isShared: boolean, answerBytes: number): ClientPace {
  const isTrusted = !isShared && answerBytes <= shortAnswer;
  return { bytes: isTrusted ? maxAtATime : minAtATime, taken: 0, max: isShared ? maxOfShared : maxAtATime };
}

/**
 * @param bytes the number of bytes written
 * @param hasStalled whether the client stalled
 */
export function adjustPace(pace: ClientPace, bytes: number, hasStalled: boolean): void {
  pace.taken = hasStalled ? 0 : pace.taken + bytes;
  if (hasStalled) pace.bytes = Math.max(minAtATime, pace.bytes / paceStep);
  if (pace.taken < takenBeforeMore) return;
  hurryPace(pace);
  pace.taken = 0;
}

/** Raises the pace of a client that took a whole answer, and so does read. */
export function hurryPace(pace: ClientPace): void {
  pace.bytes = Math.min(pace.max, pace.bytes * paceStep);
}

/** Bytes that the system has not taken yet, because the client does not read. */
interface PendingWrite {
  bytes: number;
  /** Called once; the holder releases everything that it can get again later. */
  onStall(): void;
  /** Ends the connection; a player reconnects and requests the rest. */
  cut(): void;
}

interface StallLimits {
  /** A write that waits this long has stalled; this is detected at most half of that time later. */
  afterMs: number;
  /** The most stalled bytes; the clients that have stalled for the longest are cut first. */
  capBytes: number;
  /** A client that does not take its bytes is cut after this time for each 64 KiB. */
  takesMs: number;
}

/** The number of checks before a write counts as stalled. */
const checksBefore = 2;

/**
 * Limits the cost of clients that do not read, each and in total. It counts checks of the pending
 * writes instead of measuring time: between two checks, the event loop has polled every socket
 * once. So a client that takes its bytes never counts as slow because this process or the machine
 * was busy.
 */
export class StallWatch {
  private readonly limits: StallLimits;
  private readonly checkMs: number;
  // Both maps keep the order in which the writes began, with the number of checks of each write.
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

  /** @returns a function to call when the write has ended */
  watch(write: PendingWrite): () => void {
    this.fresh.set(write, 0);
    this.timer ??= repeat(() => this.sweep(), this.checkMs);
    return () => this.forget(write);
  }

  /** Cuts the client that has stalled for the longest. @returns false when no client has stalled */
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
