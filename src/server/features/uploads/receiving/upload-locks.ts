import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { Ids } from '../../../ids.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';

import type { HeldLock, LockedFile, LockState } from './lock-repository.ts';
import { lockRepository } from './lock-repository.ts';

export interface LockTimes {
  /** The longest time that a dead request delays the next one. */
  leaseMs: number;
  renewMs: number;
  /** How long a request waits for the previous one to end. */
  patienceMs: number;
  retryMs: number;
}

const usualTimes: LockTimes = { leaseMs: 8_000, renewMs: 2_000, patienceMs: 10_000, retryMs: 50 };

interface LockDeps {
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
 * Lets one request at a time work on a file, on any node. A lock is a lease in the database, and
 * each process renews the leases of all its requests together. A new request ends the previous one,
 * whose client may be long gone without notice, and replaces one that still waits.
 */
export class UploadLocks {
  readonly life: SessionLife;
  private readonly deps: LockDeps;
  private readonly times: LockTimes;
  private readonly held = new Map<string, UploadLock>();
  /** The waiting request of each file. */
  private readonly waiting = new Map<string, AbortController>();
  private renewal: Repetition | null = null;

  constructor(deps: LockDeps) {
    this.deps = deps;
    this.times = { ...usualTimes, ...deps.times };
    this.life = new SessionLife(deps.database);
  }

  /**
   * @param canBeEnded whether a later request ends this one; otherwise the later one waits
   * @throws Refusal 423 when the previous request does not end, or a later one came during the wait
   */
  async take(file: Subject, canBeEnded: boolean): Promise<UploadLock> {
    const turn = new AbortController();
    if (canBeEnded) {
      this.waiting.get(file.id)?.abort();
      this.waiting.set(file.id, turn);
    }
    try {
      return await this.untilTaken(file, canBeEnded, turn.signal);
    } finally {
      if (this.waiting.get(file.id) === turn) this.waiting.delete(file.id);
    }
  }

  private async untilTaken(file: Subject, canBeEnded: boolean, turn: AbortSignal): Promise<UploadLock> {
    const { clock, database, ids } = this.deps;
    const owner = ids.secret();
    const begunAt = clock.elapsed();
    while (!turn.aborted && clock.elapsed() - begunAt <= this.times.patienceMs) {
      const mine = this.held.get(file.id);
      if (mine !== undefined) {
        mine.end();
        const waited = wait(this.times.patienceMs, null, { ref: false, signal: turn }).catch(() => {});
        await Promise.race([mine.released, waited]);
        continue;
      }
      const claimedAt = clock.elapsed();
      const lease = { owner, now: clock.now(), until: clock.now() + this.times.leaseMs };
      const claim = await database.write(async (transaction) => {
        const claimed = await lockRepository.claim(transaction, file.id, lease);
        if (claimed === null) await lockRepository.request(transaction, file.id);
        return claimed;
      });
      if (claim !== null) return this.hold(file, { owner, claimedAt, canBeEnded, found: claim });
      await wait(this.times.retryMs);
    }
    throw new Refusal('locked', { headers: { 'retry-after': '5' } });
  }

  /** Ends the request of this process that works on the file. */
  end({ id }: Pick<Subject, 'id'>): void {
    this.held.get(id)?.end();
  }

  /** The state of a file that no request works on; null while one does. */
  findUnlocked({ id }: Pick<Subject, 'id'>): Promise<LockedFile | null> {
    return lockRepository.findUnlocked(this.deps.database.reader, id, this.deps.clock.now());
  }

  private hold(file: Subject, claim: Claim): UploadLock {
    const lock = new UploadLock({ ...this.deps, life: this.life, times: this.times, file, claim }, () => {
      this.held.delete(file.id);
      if (this.held.size > 0) return;
      this.renewal?.stop();
      this.renewal = null;
    });
    this.held.set(file.id, lock);
    this.renewal ??= repeat(
      () => this.renewAll(),
      this.times.renewMs,
      () => {},
    );
    return lock;
  }

  /**
   * Renews all locks of this process in one transaction: a commit for each would block other
   * writes.
   */
  private async renewAll(): Promise<void> {
    const { database, clock } = this.deps;
    const locks = [...this.held.values()];
    if (locks.length === 0) return;
    const due = await this.life.findDue(locks.map(({ file }) => file.sessionId));
    const [renewedAt, now] = [clock.elapsed(), clock.now()];
    const renewed = await database.write(async (transaction) => {
      await this.life.extend(transaction, due, now);
      return lockRepository.renewAll(
        transaction,
        locks.map((lock) => lock.toHeld()),
        now + this.times.leaseMs,
      );
    });
    this.life.onExtended(due, now);
    for (const lock of locks) lock.onRenewed(renewed.get(lock.file.id) ?? null, renewedAt);
  }
}

interface Claim {
  owner: string;
  /** Measured by `clock.elapsed()`. */
  claimedAt: number;
  canBeEnded: boolean;
  found: LockedFile;
}

interface HeldDeps extends LockDeps {
  life: SessionLife;
  times: LockTimes;
  file: Subject;
  claim: Claim;
}

export class UploadLock {
  readonly found: LockedFile;
  readonly released: Promise<void>;
  private readonly deps: HeldDeps;
  private readonly ending = new AbortController();
  private readonly resolveReleased: () => void;
  private readonly forget: () => void;
  private renewedAt: number;
  private isReleased = false;
  private reportState: () => LockState = () => ({});

  constructor(deps: HeldDeps, forget: () => void) {
    this.deps = deps;
    this.forget = forget;
    this.found = deps.claim.found;
    this.renewedAt = deps.claim.claimedAt;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.released = promise;
    this.resolveReleased = resolve;
  }

  get file(): Subject {
    return this.deps.file;
  }

  /** Aborts when another request waits, or the lease is lost. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Whether the lease is still certain to be ours. */
  get isHeld(): boolean {
    const { clock, times } = this.deps;
    return clock.elapsed() - this.renewedAt < times.leaseMs;
  }

  /** Asks the request to end. */
  end(): void {
    if (this.deps.claim.canBeEnded) this.ending.abort();
  }

  /** @param report returns the state that each following renewal stores */
  reportWith(report: () => LockState): void {
    this.reportState = report;
  }

  /** Counts bytes that were written to the file. */
  countBytes(bytes: number): void {
    this.deps.life.add(this.deps.file.sessionId, bytes);
  }

  /** The lock with the state to store at the next renewal of this process. */
  toHeld(): HeldLock {
    const { file, claim } = this.deps;
    return { id: file.id, owner: claim.owner, state: this.reportState() };
  }

  /** @param renewed null when another request holds the lock */
  onRenewed(renewed: { isWanted: boolean } | null, renewedAt: number): void {
    // The request ended during the renewal.
    if (this.isReleased) return;
    if (renewed === null) {
      this.ending.abort();
      return;
    }
    this.renewedAt = Math.max(this.renewedAt, renewedAt);
    if (renewed.isWanted) this.end();
  }

  /**
   * Renews the lock and stores the progress of the file.
   * @param also what else this stores at once, if the lock is held
   * @throws Refusal 423 when the lock was lost
   */
  async renew(state: LockState, also: (transaction: Executor) => Promise<void> = async () => {}): Promise<void> {
    const { database, clock, times, file, claim } = this.deps;
    const renewedAt = clock.elapsed();
    const lease = { id: file.id, owner: claim.owner, until: clock.now() + times.leaseMs };
    const renewed = await database.write(async (transaction) => {
      const held = await lockRepository.renew(transaction, lease, state);
      if (held !== null) await also(transaction);
      return held;
    });
    this.onRenewed(renewed, renewedAt);
    if (renewed === null) throw new Refusal('locked');
  }

  /**
   * Stores the progress of the file and releases the lock.
   * @throws Refusal 423 when the lock was lost
   */
  async finish(state: LockState): Promise<void> {
    const { database, clock, life, file, claim } = this.deps;
    const due = await life.findDue([file.sessionId]);
    const now = clock.now();
    const isOurs = await database.write(async (transaction) => {
      await life.extend(transaction, due, now);
      return lockRepository.release(transaction, { id: file.id, owner: claim.owner }, state);
    });
    life.onExtended(due, now);
    this.letGo();
    if (!isOurs) throw new Refusal('locked');
  }

  /** Releases a lock that was not finished. */
  async release(): Promise<void> {
    if (this.isReleased) return;
    const { database, file, claim } = this.deps;
    try {
      await database.write((transaction) => lockRepository.release(transaction, { id: file.id, owner: claim.owner }));
    } catch {
      // The lease expires by itself.
    } finally {
      this.letGo();
    }
  }

  private letGo(): void {
    this.isReleased = true;
    this.forget();
    this.resolveReleased();
  }
}

interface Life {
  /** Bytes received since the session was last extended. */
  bytes: number;
  /** The declared bytes of all its files; null until they are read. */
  declared: number | null;
  /** Epoch milliseconds; 0 when this process has not extended it. */
  extendedAt: number;
}

/** They take a few MB; a forgotten session starts to count its bytes anew. */
const maxSessions = 20_000;

/**
 * Extends a session as long as it receives enough bytes. An idle or dripping request keeps neither
 * the session nor its reserved quota alive.
 */
class SessionLife {
  private readonly database: Pick<Database, 'reader'>;
  private readonly lives = new Map<string, Life>();

  constructor(database: Pick<Database, 'reader'>) {
    this.database = database;
  }

  add(sessionId: string, bytes: number): void {
    const life = this.lives.get(sessionId) ?? { bytes: 0, declared: null, extendedAt: 0 };
    life.bytes += bytes;
    // Moves the session to the end, so that the first one is the one idle for the longest.
    this.lives.delete(sessionId);
    this.lives.set(sessionId, life);
    const oldest = this.lives.size > maxSessions ? this.lives.keys().next().value : undefined;
    if (oldest !== undefined) this.lives.delete(oldest);
  }

  /** The sessions that received enough bytes to be extended in the following transaction. */
  async findDue(sessionIds: Iterable<string>): Promise<string[]> {
    const moved = [...new Set(sessionIds)].filter((id) => (this.lives.get(id)?.bytes ?? 0) > 0);
    const unknown = moved.filter((id) => this.lives.get(id)?.declared === null);
    for (const { sessionId, bytes } of await lockRepository.sumDeclaredBytes(this.database.reader, unknown)) {
      const life = this.lives.get(sessionId);
      if (life !== undefined) life.declared = bytes;
    }
    return moved.filter((id) => {
      const life = this.lives.get(id);
      return life !== undefined && life.declared !== null && life.bytes >= enoughForLife(life.declared);
    });
  }

  async extend(transaction: Executor, sessionIds: readonly string[], now: number): Promise<void> {
    if (sessionIds.length > 0) await lockRepository.noteActive(transaction, sessionIds, now);
  }

  /** Called once the extension is committed. */
  onExtended(sessionIds: readonly string[], now: number): void {
    for (const id of sessionIds) {
      const life = this.lives.get(id);
      if (life !== undefined) Object.assign(life, { bytes: 0, extendedAt: now });
    }
  }

  /** When a session was last extended, as far as this process knows. */
  activeAt({ id, activeAt }: { id: string; activeAt: number }): number {
    return Math.max(activeAt, this.lives.get(id)?.extendedAt ?? 0);
  }
}

const mostForLife = 16 * 1024 * 1024;

/** Bytes that keep a session alive: a hundredth of the declared ones, at most 16 MiB. */
function enoughForLife(declaredBytes: number): number {
  return Math.min(mostForLife, Math.ceil(declaredBytes / 100));
}
