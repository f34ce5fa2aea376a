import { limits } from '#contract/limits.ts';
import type { Facts, Lease } from './device-database.ts';
import type { FactStore } from './facts.ts';
import { newRandomId } from './random-id.ts';
import { after, now } from './timers.ts';

/** Lets one tab at a time send. */
export interface TabTurn {
  /** `isHeld`: whether it is still this tab's turn, to be asked before each step. `taken`: it is another tab's. */
  run<Result>(work: (isHeld: () => Promise<boolean>) => Promise<Result>, taken: () => Result): Promise<Result>;
}

/** Leases among the facts of the device. */
type LeaseName = { [Name in keyof Facts]: Facts[Name] extends Lease ? Name : never }[keyof Facts];

/** By a Web Lock, which ends with its tab. */
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

/** By a lease in the database, for addresses and engines without Web Locks. A tab that has gone leaves it to its end. */
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

  /** A lease that ends further in the future than it can have begun is not believed: the clock went back. */
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
