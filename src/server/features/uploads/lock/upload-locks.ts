import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { Ids } from '../../../ids.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { LockedFile, LockState } from './lock-repository.ts';
import { claimLock, noteActive, releaseLock, renewLock, requestLock } from './lock-repository.ts';

export interface LockTimes {
  /** How long a request that died holds up the next one at most. */
  leaseMs: number;
  renewMs: number;
  /** How long a request waits for the one before it to end. */
  patienceMs: number;
  retryMs: number;
}

const usualTimes: LockTimes = { leaseMs: 8_000, renewMs: 2_000, patienceMs: 10_000, retryMs: 50 };

export interface LockDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  times?: Partial<LockTimes>;
}

interface Subject {
  id: string;
  sessionId: string;
}

/**
 * One request at a time works on a file, on whatever node: its lock is a lease in the database that it renews. A request
 * that comes later ends the one before it, whose client may be long gone without anybody having noticed.
 */
export class UploadLocks {
  private readonly deps: LockDeps;
  private readonly times: LockTimes;
  private readonly held = new Map<string, UploadLock>();

  constructor(deps: LockDeps) {
    this.deps = deps;
    this.times = { ...usualTimes, ...deps.times };
  }

  /**
   * @param canBeEnded whether a later request ends this one; otherwise it waits
   * @throws Refusal 423 when the one before it does not end
   */
  async take(file: Subject, canBeEnded: boolean): Promise<UploadLock> {
    const { clock, database, ids } = this.deps;
    const owner = ids.secret();
    const begunAt = clock.elapsed();
    while (clock.elapsed() - begunAt <= this.times.patienceMs) {
      const mine = this.held.get(file.id);
      if (mine !== undefined) {
        mine.end();
        await Promise.race([mine.released, wait(this.times.patienceMs, null, { ref: false })]);
        continue;
      }
      const claimedAt = clock.elapsed();
      const lease = { owner, now: clock.now(), until: clock.now() + this.times.leaseMs };
      const claim = await database.write(async (transaction) => {
        const claimed = await claimLock(transaction, file.id, lease);
        if (claimed === null) await requestLock(transaction, file.id);
        return claimed;
      });
      if (claim !== null) return this.hold(file, { owner, claimedAt, canBeEnded, found: claim });
      await wait(this.times.retryMs);
    }
    throw new Refusal('locked', { headers: { 'retry-after': '5' } });
  }

  /** Ends the request of this process that works on a file. */
  end({ id }: Pick<Subject, 'id'>): void {
    this.held.get(id)?.end();
  }

  private hold(file: Subject, claim: Claim): UploadLock {
    const lock = new UploadLock({ ...this.deps, times: this.times, file, claim }, () => this.held.delete(file.id));
    this.held.set(file.id, lock);
    return lock;
  }
}

interface Claim {
  owner: string;
  /** By `clock.elapsed()`. */
  claimedAt: number;
  canBeEnded: boolean;
  found: LockedFile;
}

interface HeldDeps extends LockDeps {
  times: LockTimes;
  file: Subject;
  claim: Claim;
}

/** A lock that is held. */
export class UploadLock {
  readonly found: LockedFile;
  readonly released: Promise<void>;
  private readonly deps: HeldDeps;
  private readonly renewal: Repetition;
  private readonly ending = new AbortController();
  private readonly resolveReleased: () => void;
  private readonly forget: () => void;
  private renewedAt: number;
  private reportState: () => LockState = () => ({});

  constructor(deps: HeldDeps, forget: () => void) {
    this.deps = deps;
    this.forget = forget;
    this.found = deps.claim.found;
    this.renewedAt = deps.claim.claimedAt;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.released = promise;
    this.resolveReleased = resolve;
    this.renewal = repeat(
      () => this.renew(this.reportState()),
      deps.times.renewMs,
      () => {},
    );
  }

  /** Aborts when another request waits, or the lease was lost. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Whether nobody else can have it by now. */
  get isHeld(): boolean {
    const { clock, times } = this.deps;
    return clock.elapsed() - this.renewedAt < times.leaseMs;
  }

  /** Asks for its end. */
  end(): void {
    if (this.deps.claim.canBeEnded) this.ending.abort();
  }

  /** @param report what is written down with each renewal from now on */
  reportWith(report: () => LockState): void {
    this.reportState = report;
  }

  /** Renews it, and writes down how far the file is. @throws Refusal 423 when it was lost */
  async renew(state: LockState): Promise<void> {
    const { database, clock, times, file, claim } = this.deps;
    const renewedAt = clock.elapsed();
    const lease = { id: file.id, owner: claim.owner, until: clock.now() + times.leaseMs };
    const renewed = await database.write(async (transaction) => {
      if (state.received !== undefined) await noteActive(transaction, file.sessionId, clock.now());
      return renewLock(transaction, lease, state);
    });
    if (renewed === null) {
      this.ending.abort();
      throw new Refusal('locked');
    }
    this.renewedAt = renewedAt;
    if (renewed.isWanted) this.end();
  }

  async release(): Promise<void> {
    const { database, file, claim } = this.deps;
    this.renewal.stop();
    try {
      await database.write((transaction) => releaseLock(transaction, file.id, claim.owner));
    } catch {
      // The lease runs out by itself.
    } finally {
      this.forget();
      this.resolveReleased();
    }
  }
}
