/** Memory lent out to carry bytes from a file to a client. Each lease ends once, in one of two ways. */
export interface Lease {
  readonly buffer: Buffer;
  /** The memory may carry other bytes from now on. */
  release(): void;
  /** Something may still look at the memory: it is left to the garbage collector. */
  abandon(): void;
  /** Whoever holds it waits for a client that does not read: it no longer counts as in flight. */
  park(): void;
}

interface Waiting {
  bytes: number;
  grant(lease: Lease): void;
}

const minBytes = 64 * 1024;
const sizeFactor = 4;

/**
 * A cap on what the whole process has in flight, and memory that is used again, the most recently used first: the
 * processor still has it in its cache.
 */
export class BufferPool {
  private readonly capBytes: number;
  private readonly free = new Map<number, Buffer[]>();
  private readonly waiting = new TurnQueue<Waiting>();
  private readonly waitingForLittle = new TurnQueue<Waiting>();
  private bytesInFlight = 0;
  private bytesKept = 0;

  constructor(capBytes: number) {
    this.capBytes = capBytes;
  }

  /** Bytes lent out, those that are parked apart. */
  get inFlight(): number {
    return this.bytesInFlight;
  }

  /** Bytes that wait to be lent again. */
  get kept(): number {
    return this.bytesKept;
  }

  /** In turn, as soon as the cap allows. @param owner of what may be many waits: the turns are among owners */
  acquire(wanted: number, owner: object = {}): Promise<Lease> {
    const now = this.tryAcquire(wanted);
    if (now !== null) return Promise.resolve(now);
    const bytes = roundUp(wanted);
    const { promise, resolve } = Promise.withResolvers<Lease>();
    this.queueFor(bytes).add(owner, { bytes, grant: resolve });
    return promise;
  }

  /** Null when it is not to be had without waiting. */
  tryAcquire(wanted: number): Lease | null {
    const bytes = roundUp(wanted);
    return this.queueFor(bytes).isEmpty && this.fits(bytes) ? this.lend(bytes) : null;
  }

  /** Only while three quarters of the cap are free; for what could as well be read later. */
  tryAcquireSpare(wanted: number): Lease | null {
    const bytes = roundUp(wanted);
    return this.waiting.isEmpty && this.bytesInFlight + bytes <= this.capBytes / 4 ? this.lend(bytes) : null;
  }

  /** Memory that may be lent again. Beyond the cap it is left to the garbage collector. */
  keep(buffer: Buffer): void {
    if (this.bytesKept + buffer.length > this.capBytes) return;
    const buffers = this.free.get(buffer.length) ?? [];
    this.free.set(buffer.length, buffers);
    buffers.push(buffer);
    this.bytesKept += buffer.length;
  }

  /** Bytes are no longer in flight: those who wait may have them. */
  uncount(bytes: number): void {
    this.bytesInFlight -= bytes;
    this.grantNext(this.waitingForLittle);
    this.grantNext(this.waiting);
  }

  /** A quarter is for those who get little at a time and come often: they never queue behind those who get much. */
  private fits(bytes: number): boolean {
    return (
      this.bytesInFlight === 0 ||
      this.bytesInFlight + bytes <= (bytes === minBytes ? this.capBytes : this.capBytes * 0.75)
    );
  }

  private queueFor(bytes: number): TurnQueue<Waiting> {
    return bytes === minBytes ? this.waitingForLittle : this.waiting;
  }

  private lend(bytes: number): Lease {
    const buffer = this.takeKept(bytes) ?? this.allocate(bytes);
    this.bytesInFlight += bytes;
    return new PoolLease(this, buffer, bytes);
  }

  private takeKept(bytes: number): Buffer | undefined {
    const buffer = this.free.get(bytes)?.pop();
    if (buffer !== undefined) this.bytesKept -= bytes;
    return buffer;
  }

  /** What is kept in other sizes makes room, so that all together stays below the cap. */
  private allocate(bytes: number): Buffer {
    for (const [size, buffers] of this.free) {
      while (this.bytesInFlight + this.bytesKept + bytes > this.capBytes && buffers.pop() !== undefined)
        this.bytesKept -= size;
    }
    return Buffer.allocUnsafeSlow(bytes);
  }

  private grantNext(queue: TurnQueue<Waiting>): void {
    for (let { next } = queue; next !== undefined && this.fits(next.bytes); next = queue.next) {
      queue.remove();
      next.grant(this.lend(next.bytes));
    }
  }
}

class PoolLease implements Lease {
  readonly buffer: Buffer;
  private readonly pool: Pick<BufferPool, 'keep' | 'uncount'>;
  /** 0 once it no longer counts as in flight. */
  private counted: number;

  constructor(pool: Pick<BufferPool, 'keep' | 'uncount'>, buffer: Buffer, bytes: number) {
    this.pool = pool;
    this.buffer = buffer;
    this.counted = bytes;
  }

  release(): void {
    this.pool.keep(this.buffer);
    this.abandon();
  }

  abandon(): void {
    const { counted } = this;
    this.counted = 0;
    this.pool.uncount(counted);
  }

  park(): void {
    this.abandon();
  }
}

/** A few sizes only, so that what comes back fits the next who asks. */
function roundUp(bytes: number): number {
  let size = minBytes;
  while (size < bytes) size *= sizeFactor;
  return size;
}

/** Items that wait, in turn: one of each owner after the other, so that an owner of many keeps nobody else waiting. */
class TurnQueue<Item> {
  /** The first is the one whose turn it is; none is without items. */
  private readonly waiting = new Map<object, Item[]>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** Whose turn it is. */
  get next(): Item | undefined {
    return this.firstOwner()?.[1][0];
  }

  add(owner: object, item: Item): void {
    const items = this.waiting.get(owner);
    if (items === undefined) this.waiting.set(owner, [item]);
    else items.push(item);
  }

  /** Takes out whose turn it is. */
  remove(): void {
    const [owner, items] = this.firstOwner() ?? [];
    if (owner === undefined || items === undefined) return;
    items.shift();
    this.waiting.delete(owner);
    if (items.length > 0) this.waiting.set(owner, items);
  }

  private firstOwner(): [object, Item[]] | undefined {
    return this.waiting.entries().next().value;
  }
}
