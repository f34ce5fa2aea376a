import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import type { Log } from '../log.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import { nodeRepository } from './node-repository.ts';

interface LeaseDeps {
  database: Pick<Database, 'write' | 'dialect'>;
  clock: Pick<Clock, 'elapsed'>;
  log: Log;
  /** The id of this node. */
  owner: string;
}

/** Another node has the lease within this time and one more interval. */
const leaseMs = 15_000;
const renewEveryMs = 5_000;
/**
 * The holder stops before the database lets another node begin, by its own steady clock: the call
 * that renewed it counts from its beginning.
 */
const marginMs = 2_000;
/**
 * On SQLite the holder is a process of this machine, whose end is seen: a row that is renewed would
 * keep a disk awake.
 */
const ownLeaseMs = 10 * 365 * 86_400_000;
const retryMs = 200;

/**
 * A lease makes one node at a time do something for the site. It is a row that expires by the
 * database's clock.
 */
export class Lease {
  readonly name: string;
  private readonly deps: LeaseDeps;
  private readonly listeners = new Set<(isHeld: boolean) => void>();
  private timer: Repetition | null = null;
  private expiry: NodeJS.Timeout | undefined;
  /** The end of the lease by `clock.elapsed()`. */
  private heldUntil = Number.NEGATIVE_INFINITY;
  private wasHeld = false;
  private isStopped = false;
  private taking: Promise<void> = Promise.resolve();
  private mayHold: () => boolean;

  /** @param mayHold false while this node leaves it to others */
  constructor(name: string, deps: LeaseDeps, mayHold = () => true) {
    this.name = name;
    this.deps = deps;
    this.mayHold = mayHold;
  }

  get isHeld(): boolean {
    return this.deps.clock.elapsed() < this.heldUntil;
  }

  /** Calls `listener` when this node gets the lease, and when it has lost it. */
  onChange(listener: (isHeld: boolean) => void): void {
    this.listeners.add(listener);
  }

  /**
   * Seeks the lease from now on.
   * @param mayHold replaces the one of the constructor
   * @returns once it was asked for
   */
  async seek(mayHold: () => boolean = this.mayHold): Promise<void> {
    this.mayHold = mayHold;
    const onFault = (err: unknown) => this.deps.log.warn({ err, lease: this.name }, 'a lease could not be renewed');
    if (!this.isStopped) this.timer ??= repeat(() => this.take(), renewEveryMs, onFault);
    if (!this.isHeld) await this.take().catch(onFault);
  }

  /** Waits for the lease, works, and gives it back. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    while (!this.isHeld) {
      await this.take();
      if (this.isStopped) throw new Error('The server is stopping.');
      if (!this.isHeld) await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
    const renewing = repeat(() => this.take(), renewEveryMs);
    try {
      return await work();
    } finally {
      renewing.stop();
      await this.drop();
    }
  }

  /** Gives the lease to whoever asks next. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.timer?.stop();
    await this.drop().catch(() => {});
  }

  /** One question at a time: a late answer to an earlier one would shorten the lease. */
  private take(): Promise<void> {
    const turn = this.taking.then(() => this.takeOnce());
    this.taking = turn.catch(() => {});
    return turn;
  }

  private async takeOnce(): Promise<void> {
    const { database, clock, owner } = this.deps;
    if (this.isStopped) return;
    if (!this.mayHold()) return this.drop();
    const { dialect } = database;
    const isOwn = dialect.kind === 'sqlite';
    if (isOwn && this.isHeld) return;
    const askedAt = clock.elapsed();
    const ms = isOwn ? ownLeaseMs : leaseMs;
    const isHeld = await database.write((transaction) =>
      nodeRepository.takeLease(transaction, dialect, { name: this.name, owner, ms }),
    );
    const end = isOwn ? Number.POSITIVE_INFINITY : askedAt + leaseMs - marginMs;
    this.hold(isHeld ? end : Number.NEGATIVE_INFINITY);
  }

  private async drop(): Promise<void> {
    const { database, owner } = this.deps;
    const wasHeld = this.isHeld;
    this.hold(Number.NEGATIVE_INFINITY);
    if (wasHeld) await database.write((transaction) => nodeRepository.dropLease(transaction, this.name, owner));
  }

  private hold(until: number): void {
    this.heldUntil = until;
    clearTimeout(this.expiry);
    if (this.isHeld && Number.isFinite(until))
      this.expiry = setTimeout(() => this.tell(), until - this.deps.clock.elapsed() + 1).unref();
    this.tell();
  }

  private tell(): void {
    const { isHeld } = this;
    if (isHeld === this.wasHeld) return;
    this.wasHeld = isHeld;
    for (const listener of this.listeners) listener(isHeld);
  }
}
