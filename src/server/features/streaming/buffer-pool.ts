/**
 * Memory lent to carry bytes from a file to a client. A lease ends exactly once, by `release` or by
 * `abandon`.
 */
export interface BufferLease {
  readonly buffer: Buffer;
  /** Ends the lease; the memory may be lent again. */
  release(): void;
  /**
   * Ends the lease while something may still read the memory, which is left to the garbage
   * collector.
   */
  abandon(): void;
  /** The holder waits for a client that does not read: the memory no longer counts as in flight. */
  park(): void;
}

/** The client that memory is lent for. */
export interface DepartingClient {
  /**
   * Calls back when the client disconnects, or at once when it has; a later callback replaces it.
   */
  onGone(callback: () => void): void;
}

interface Waiting {
  bytes: number;
  grant(lease: BufferLease): void;
}

const minBytes = 64 * 1024;
const sizeFactor = 4;

/**
 * Caps the bytes that the whole process has in flight, and reuses memory. The most recently used
 * buffer is lent first, because the processor still has it in its cache.
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

  /** Bytes that are lent and not parked. */
  get inFlight(): number {
    return this.bytesInFlight;
  }

  /** Bytes that are kept for reuse. */
  get kept(): number {
    return this.bytesKept;
  }

  acquire(wanted: number, owner?: object): Promise<BufferLease>;
  acquire(wanted: number, owner: object, client: DepartingClient): Promise<BufferLease | null>;
  /**
   * Lends memory in turn, as soon as the cap allows.
   * @param owner may wait several times; owners take turns
   * @param client ends the wait with null when it disconnects; its memory goes to the next in turn
   */
  acquire(wanted: number, owner: object = {}, client?: DepartingClient): Promise<BufferLease | null> {
    const now = this.tryAcquire(wanted);
    if (now !== null) return Promise.resolve(now);
    const bytes = roundUp(wanted);
    return new Promise((resolve) => {
      let hasGone = false;
      this.queueFor(bytes).add(owner, { bytes, grant: (lease) => (hasGone ? lease.release() : resolve(lease)) });
      client?.onGone(() => {
        hasGone = true;
        resolve(null);
      });
    });
  }

  /** Returns null when the memory cannot be lent without waiting. */
  tryAcquire(wanted: number): BufferLease | null {
    const bytes = roundUp(wanted);
    return this.queueFor(bytes).isEmpty && this.fits(bytes) ? this.lend(bytes) : null;
  }

  /**
   * Lends only while three quarters of the cap are free; meant for reads that could as well happen
   * later.
   */
  tryAcquireSpare(wanted: number): BufferLease | null {
    const bytes = roundUp(wanted);
    return this.waiting.isEmpty && this.bytesInFlight + bytes <= this.capBytes / 4 ? this.lend(bytes) : null;
  }

  /** Keeps memory for reuse; beyond the cap it is left to the garbage collector. */
  keep(buffer: Buffer): void {
    if (this.bytesKept + buffer.length > this.capBytes) return;
    const buffers = this.free.get(buffer.length) ?? [];
    this.free.set(buffer.length, buffers);
    buffers.push(buffer);
    this.bytesKept += buffer.length;
  }

  /** Takes bytes out of the count in flight, and serves waiting requests. */
  uncount(bytes: number): void {
    this.bytesInFlight -= bytes;
    this.grantNext(this.waitingForLittle);
    this.grantNext(this.waiting);
  }

  /**
   * A quarter is reserved for requests of the smallest size, which are frequent: they never queue
   * behind large ones.
   */
  private fits(bytes: number): boolean {
    return (
      this.bytesInFlight === 0 ||
      this.bytesInFlight + bytes <= (bytes === minBytes ? this.capBytes : this.capBytes * 0.75)
    );
  }

  private queueFor(bytes: number): TurnQueue<Waiting> {
    return bytes === minBytes ? this.waitingForLittle : this.waiting;
  }

  private lend(bytes: number): BufferLease {
    const buffer = this.takeKept(bytes) ?? this.allocate(bytes);
    this.bytesInFlight += bytes;
    return new PoolLease(this, buffer, bytes);
  }

  private takeKept(bytes: number): Buffer | undefined {
    const buffer = this.free.get(bytes)?.pop();
    if (buffer !== undefined) this.bytesKept -= bytes;
    return buffer;
  }

  /** Frees kept buffers of other sizes, so that the total stays below the cap. */
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

class PoolLease implements BufferLease {
  readonly buffer: Buffer;
  private readonly pool: Pick<BufferPool, 'keep' | 'uncount'>;
  /** The bytes that count as in flight; 0 once the lease has ended or is parked. */
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

/** Rounds to one of a few sizes, so that a returned buffer fits the next request. */
function roundUp(bytes: number): number {
  let size = minBytes;
  while (size < bytes) size *= sizeFactor;
  return size;
}

/** A queue in which owners take turns: an owner with many items does not delay the others. */
class TurnQueue<Item> {
  /** Owners with their items, the owner whose turn it is first; no list is empty. */
  private readonly waiting = new Map<object, Item[]>();

  get isEmpty(): boolean {
    return this.waiting.size === 0;
  }

  /** The item whose turn it is. */
  get next(): Item | undefined {
    return this.firstOwner()?.[1][0];
  }

  add(owner: object, item: Item): void {
    const items = this.waiting.get(owner);
    if (items === undefined) this.waiting.set(owner, [item]);
    else items.push(item);
  }

  /** Removes the item whose turn it is. */
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
