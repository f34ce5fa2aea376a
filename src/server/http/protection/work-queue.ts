import { Unavailable } from '../pipeline/errors.ts';

interface WorkQueueOptions {
  atOnce: number;
  /** Beyond these, work is refused. */
  maxWaiting: number;
  /** What whoever is refused reads. */
  refusal?: string;
}

/** Does a few pieces of work at once and has some wait in turn, so that what is left goes to everybody else. */
export class WorkQueue {
  private readonly options: WorkQueueOptions;
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(options: WorkQueueOptions) {
    this.options = options;
    this.free = options.atOnce;
  }

  /**
   * @param signal work that still waits then is not begun
   * @throws Unavailable when too many wait already, and what the work throws
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
