import { Unavailable } from '../http/pipeline/errors.ts';

interface WorkQueueOptions {
  atOnce: number;
  /** The most work that may wait; more is refused. */
  maxWaiting: number;
  /** The sentence of the refusal. */
  refusal?: string;
}

/** Runs a few pieces of work at once and queues others, so that the rest of the server goes on. */
export class WorkQueue {
  private readonly options: WorkQueueOptions;
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(options: WorkQueueOptions) {
    this.options = options;
    this.free = options.atOnce;
  }

  /**
   * @param signal drops work that still waits when it aborts
   * @throws Unavailable if too many wait already, and whatever the work throws
   */
  async run<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free -= 1;
    else await this.wait(signal);
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private wait(signal: AbortSignal | undefined): Promise<void> {
    const { maxWaiting, refusal } = this.options;
    if (this.waiting.length >= maxWaiting) throw new Unavailable(refusal);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      this.waiting.splice(this.waiting.indexOf(begin), 1);
      reject(signal?.reason);
    };
    const begin = () => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    this.waiting.push(begin);
    signal?.addEventListener('abort', leave, { once: true });
    return promise;
  }
}
