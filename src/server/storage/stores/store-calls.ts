/** Milliseconds. */
export const storeTimes = {
  connect: 3_000,
  firstByte: 10_000,
  silence: 15_000,
  body: 60_000,
  tries: 10_000,
  circuit: 5_000,
};

const triesMax = 4;
const firstPauseMs = 100;
const failuresMax = 5;
const callsMax = 256;
/** The most calls of jobs and scans among these, so that viewers never wait for them. */
const workMax = 64;
const measuredCalls = 100;

/** The acts that a store may refuse, by the kind of the call. */
const acts: Readonly<Record<string, string>> = {
  head: 'tell of a file',
  get: 'send a file',
  put: 'take a file',
  part: 'take a part of a file',
  begin: 'begin a file',
  complete: 'put a file together',
  abort: 'drop the parts of a file',
  delete: 'remove a file',
  list: 'list its files',
};

/** The act that a call asks for, as words behind 'to'. */
export function actOf(kind: string): string {
  return acts[kind] ?? kind;
}

/** A store that refused a call, or gave an answer that is none. */
export class StoreRefusal extends Error {
  readonly status: number;
  /** The store's own word, such as `SlowDown`. */
  readonly code: string;

  /** @param kind of the call, or the act in words */
  constructor(status: number, code: string, kind: string) {
    super(`The store refused to ${actOf(kind)}: ${code === '' ? status : `${code} (${status})`}.`);
    this.status = status;
    this.code = code;
  }
}

/** A store that does not answer, or that answered with errors so often that it is not asked now. */
export class StoreAway extends Error {}

/** Why nothing came from an address, in the words of the first cause: `fetch` itself gives none. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'nothing came in time';
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message || ('code' in error ? String(error.code) : error.name);
}

/** Whether a store is away, or refused what it should not. */
export function isStoreFault(error: unknown): boolean {
  return error instanceof StoreAway || error instanceof StoreRefusal;
}

/** Whether the store has no room left, or not for this key. */
export function isStoreFull(error: unknown): boolean {
  if (!(error instanceof StoreRefusal)) return false;
  return error.status === 507 || /QuotaExceeded|cap_exceeded|StorageLimit/i.test(error.code);
}

const lostCodes = new Set(['NoSuchUpload', 'InvalidPart', 'InvalidPartOrder', 'EntityTooSmall']);

/** Whether the store has forgotten the parts of a file, or holds others. */
export function isPartsLost(error: unknown): boolean {
  return error instanceof StoreRefusal && lostCodes.has(error.code);
}

/** The facts of a store that a monitor and administrators are told. */
export interface StoreFacts {
  /** Counts by the kind of a call and its outcome. */
  readonly calls: ReadonlyMap<string, number>;
  readonly retries: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
  /** Milliseconds of the last hundred calls to their first byte. */
  readonly lastMs: readonly number[];
  readonly isCircuitOpen: boolean;
  /** How far the store's clock is ahead of this machine's. */
  readonly clockOffMs: number;
  /** Null when the last call went well. */
  readonly lastFailure: string | null;
}

/**
 * Repeats calls of a store that failed for a moment, calls nobody while the store is away, and
 * limits how many calls run at once.
 */
export class StoreCalls {
  private readonly now: () => number;
  private readonly pause: (ms: number) => Promise<void>;
  private readonly counts = new Map<string, number>();
  private readonly lanes = { all: new Places(callsMax), work: new Places(workMax) };
  private readonly lastMs: number[] = [];
  private retries = 0;
  private failures = 0;
  private openUntil = Number.NEGATIVE_INFINITY;
  private lastFailure: string | null = null;
  sentBytes = 0;
  receivedBytes = 0;
  clockOffMs = 0;

  /** @param now a clock that never goes back, in milliseconds */
  constructor(now: () => number, pause: (ms: number) => Promise<void>) {
    this.now = now;
    this.pause = pause;
  }

  get facts(): StoreFacts {
    const { counts, retries, sentBytes, receivedBytes, lastMs, clockOffMs, lastFailure } = this;
    const isCircuitOpen = this.failures >= failuresMax;
    return { calls: counts, retries, sentBytes, receivedBytes, lastMs, isCircuitOpen, clockOffMs, lastFailure };
  }

  /**
   * Makes a call, at most four times within ten seconds.
   * @param kind what is counted, such as `get`
   * @throws what the last attempt threw; StoreAway while the store is not asked
   */
  async make<T>(kind: string, { isWork, signal, isOnce }: CallManner, attempt: () => Promise<T>): Promise<T> {
    using _work = isWork ? await this.lanes.work.take() : null;
    using _all = await this.lanes.all.take();
    const begunAt = this.now();
    for (let tries = 1; ; tries += 1) {
      this.refuseWhileAway();
      const startedAt = this.now();
      try {
        const result = await attempt();
        this.succeed(kind, this.now() - startedAt);
        return result;
      } catch (error) {
        // The caller left, which says nothing about the store.
        if (signal?.aborted === true) throw error;
        if (isMissing(error) || isChanged(error)) {
          this.succeed(kind, this.now() - startedAt);
          throw error;
        }
        const isPassing = isMomentary(error);
        this.fail(kind, error, isPassing);
        const pauseMs = Math.random() * firstPauseMs * 2 ** tries;
        const isLate = this.now() - begunAt + pauseMs > storeTimes.tries;
        if (!isPassing || isOnce === true || tries === triesMax || isLate) throw error;
        this.retries += 1;
        await this.pause(pauseMs);
      }
    }
  }

  /** After the time one call tries, and the others go on to be refused until it has succeeded. */
  private refuseWhileAway(): void {
    if (this.failures < failuresMax) return;
    if (this.now() < this.openUntil) throw new StoreAway(this.lastFailure ?? 'The store is away.');
    this.openUntil = this.now() + storeTimes.circuit;
  }

  private succeed(kind: string, ms: number): void {
    this.failures = 0;
    this.lastFailure = null;
    this.count(kind, 'done');
    this.lastMs.push(ms);
    if (this.lastMs.length > measuredCalls) this.lastMs.shift();
  }

  private fail(kind: string, error: unknown, isPassing: boolean): void {
    this.count(kind, isPassing ? 'failed' : 'refused');
    this.lastFailure = error instanceof Error ? error.message : String(error);
    // A refusal is an answer: the store is there.
    this.failures = isPassing ? this.failures + 1 : 0;
    if (this.failures === failuresMax) this.openUntil = this.now() + storeTimes.circuit;
  }

  private count(kind: string, outcome: string): void {
    const key = `${kind} ${outcome}`;
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

interface CallManner {
  /** It is for a job or a scan, and nobody waits for it. */
  isWork?: boolean;
  /** It cannot be repeated. */
  isOnce?: boolean;
  /** Aborts when nobody needs the answer any more. */
  signal?: AbortSignal;
}

const momentaryCodes = new Set(['SlowDown', 'InternalError', 'RequestTimeout', 'ServiceUnavailable']);

/** Whether the store says that there is no such object: an answer like any other. */
export function isMissing(error: unknown): boolean {
  return error instanceof StoreRefusal && error.status === 404 && error.code !== 'NoSuchBucket';
}

/** Whether the object is another version than the one that was asked for. */
export function isChanged(error: unknown): boolean {
  return error instanceof StoreRefusal && error.status === 412;
}

/** Whether the same call may go well a moment later. */
export function isMomentary(error: unknown): boolean {
  if (!(error instanceof StoreRefusal)) return true;
  // 501 is what a store does not know at all, 507 that it has no room.
  const isFault = error.status >= 500 && error.status !== 501 && error.status !== 507;
  return isFault || error.status === 429 || momentaryCodes.has(error.code);
}

/** Places that calls take, and give back when they are disposed of. */
class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  async take(): Promise<Disposable> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    return {
      [Symbol.dispose]: () => {
        const next = this.waiting.shift();
        if (next === undefined) this.free += 1;
        else next();
      },
    };
  }
}
