import type { TurnQueue } from './turn-queue.ts';
import { createTurnQueue } from './turn-queue.ts';

/** Memory lent out to carry bytes from a file to a client. Each lease ends once, in one of two ways. */
export interface Lease {
  readonly buffer: Buffer;
  /** The memory may carry other bytes from now on. */
  giveBack(): void;
  /** Something may still look at the memory: it is left to the garbage collector. */
  abandon(): void;
  /** Whoever holds it waits for a client that does not read: it no longer counts as in flight. */
  park(): void;
}

/** A cap on what the whole process has in flight, and memory that is used again, the most recently used first: the processor still knows it. */
export interface BufferPool {
  /** Bytes lent out, those that are parked apart. */
  readonly inFlight: number;
  /** Bytes that wait to be lent again. */
  readonly kept: number;
  /** In turn, as soon as the cap allows. @param owner of what may be many waits: the turns are among owners */
  take(bytes: number, owner?: object): Promise<Lease>;
  /** Null when it is not to be had without waiting. */
  takeNow(bytes: number): Lease | null;
  /** Only while there is plenty; for what could as well be read later. */
  takeSpare(bytes: number): Lease | null;
}

interface Waiting {
  bytes: number;
  grant(lease: Lease): void;
}

const smallestBytes = 64 * 1024;
const step = 4;

export function createBufferPool(capBytes: number): BufferPool {
  const free = new Map<number, Buffer[]>();
  const waiting = createTurnQueue<Waiting>();
  const waitingForLittle = createTurnQueue<Waiting>();
  let inFlight = 0;
  let kept = 0;

  /** A quarter is for those who get little at a time and come often: they never queue behind those who get much. */
  const fits = (bytes: number) => inFlight === 0 || inFlight + bytes <= (bytes === smallestBytes ? capBytes : capBytes * 0.75);

  const queueFor = (bytes: number) => (bytes === smallestBytes ? waitingForLittle : waiting);

  function takeNow(wanted: number): Lease | null {
    const bytes = roundUp(wanted);
    return queueFor(bytes).isEmpty && fits(bytes) ? lend(bytes) : null;
  }

  function lend(bytes: number): Lease {
    const buffer = takeKept(bytes) ?? allocate(bytes);
    let counted = bytes;
    inFlight += bytes;
    const uncount = () => {
      inFlight -= counted;
      counted = 0;
      grantNext(waitingForLittle);
      grantNext(waiting);
    };
    return {
      buffer,
      giveBack() {
        keep(buffer);
        uncount();
      },
      abandon: uncount,
      park: uncount,
    };
  }

  function takeKept(bytes: number): Buffer | undefined {
    const buffer = free.get(bytes)?.pop();
    if (buffer !== undefined) kept -= bytes;
    return buffer;
  }

  /** What is kept in other sizes makes room, so that all together stays below the cap. */
  function allocate(bytes: number): Buffer {
    for (const [size, buffers] of free) {
      while (inFlight + kept + bytes > capBytes && buffers.pop() !== undefined) kept -= size;
    }
    return Buffer.allocUnsafeSlow(bytes);
  }

  function keep(buffer: Buffer): void {
    if (kept + buffer.length > capBytes) return;
    const buffers = free.get(buffer.length) ?? [];
    free.set(buffer.length, buffers);
    buffers.push(buffer);
    kept += buffer.length;
  }

  function grantNext(queue: TurnQueue<Waiting>): void {
    for (let { next } = queue; next !== undefined && fits(next.bytes); next = queue.next) {
      queue.remove();
      next.grant(lend(next.bytes));
    }
  }

  return {
    get inFlight() {
      return inFlight;
    },
    get kept() {
      return kept;
    },
    take(wanted, owner = {}) {
      const now = takeNow(wanted);
      if (now !== null) return Promise.resolve(now);
      const bytes = roundUp(wanted);
      const { promise, resolve } = Promise.withResolvers<Lease>();
      queueFor(bytes).add(owner, { bytes, grant: resolve });
      return promise;
    },
    takeNow,
    takeSpare(wanted) {
      const bytes = roundUp(wanted);
      return waiting.isEmpty && inFlight + bytes <= capBytes / 4 ? lend(bytes) : null;
    },
  };
}

/** A few sizes only, so that what comes back fits the next who asks. */
function roundUp(bytes: number): number {
  let size = smallestBytes;
  while (size < bytes) size *= step;
  return size;
}
