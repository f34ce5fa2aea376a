import { limits } from '#contract/limits.ts';
import type { FactStore } from './device-database.ts';
import { facts } from './device-database.ts';
import type { Facts, TabLease } from './device-schema.ts';
import { newRandomId } from './random-id.ts';
import { after, now } from './timers.ts';

/** Lets only one tab at a time send. */
export interface TabTurn {
  /**
   * `isHeld` says whether it is still this tab's turn, and is called before each step. `taken` runs
   * when it is another tab's turn.
   */
  run<Result>(work: (isHeld: () => Promise<boolean>) => Promise<Result>, taken: () => Result): Promise<Result>;
}

/** The names of those facts that are leases. */
type LeaseName = { [Name in keyof Facts]: Facts[Name] extends TabLease ? Name : never }[keyof Facts];

/** A turn held by a Web Lock, which the browser releases when the tab is closed. */
export class LockTurn implements TabTurn {
  private readonly locks: LockManager;
  private readonly name: string;

  constructor(locks: LockManager, name: string) {
    this.locks = locks;
    this.name = name;
  }

  async run<Result>(work: (isHeld: () => Promise<boolean>) => Promise<Result>, taken: () => Result): Promise<Result> {
    const limit = new AbortController();
    const cancelLimit = after(limits.callTimeoutSeconds * 1000, () => limit.abort());
    try {
      return await this.locks.request(this.name, { signal: limit.signal }, () => {
        cancelLimit();
        return work(async () => true);
      });
    } catch (error) {
      if (limit.signal.aborted) return taken();
      throw error;
    } finally {
      cancelLimit();
    }
  }
}

/**
 * A turn held by a lease in the database, for plain-http pages and engines without Web Locks. The
 * lease of a closed tab lasts until it expires.
 */
export class LeaseTurn implements TabTurn {
  private readonly facts: FactStore;
  private readonly name: LeaseName;
  private readonly seconds: number;
  private readonly holder = newRandomId();

  constructor(facts: FactStore, name: LeaseName, seconds: number) {
    this.facts = facts;
    this.name = name;
    this.seconds = seconds;
  }

  async run<Result>(work: (isHeld: () => Promise<boolean>) => Promise<Result>, taken: () => Result): Promise<Result> {
    if (!(await this.extend())) return taken();
    try {
      return await work(() => this.extend());
    } finally {
      await this.release();
    }
  }

  /**
   * Takes or extends the lease. A lease that ends later than any that can have begun is ignored:
   * the clock was set back.
   */
  private async extend(): Promise<boolean> {
    const time = now();
    const until = time + this.seconds * 1000;
    const lease = await this.facts.update(this.name, (known) => {
      const isFree = !known || known.holder === this.holder || known.until <= time || known.until > until;
      return isFree ? { holder: this.holder, until } : known;
    });
    return lease.holder === this.holder;
  }

  private async release(): Promise<void> {
    await this.facts.update(this.name, (known) =>
      known && known.holder !== this.holder ? known : { holder: this.holder, until: 0 },
    );
  }
}

/** Less than the shortest time that anything is kept: one leap of the clock deletes nothing. */
const longestStepMs = 12 * 60 * 60 * 1000;

/**
 * The only time by which this device deletes what waits on it. It advances with the clock, by half
 * a day at most from one look to the next, and never goes back: what waits survives a start with a
 * clock that is far ahead, or far behind.
 */
export async function sweepTime(stored: Pick<FactStore, 'update'> = facts): Promise<number> {
  const clock = now();
  const { time } = await stored.update('sweep-time', (known = { time: clock, clock }) => ({
    time: known.time + Math.min(Math.max(0, clock - known.clock), longestStepMs),
    clock,
  }));
  return time;
}
