import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { Seen } from '../../id-sets/draw-unseen.ts';
import type { Ids } from '../../ids.ts';
import type { Round } from './own-rounds.ts';
import { OwnRounds } from './own-rounds.ts';
import { chunksAtOnce, WatchedLog } from './watched-log.ts';
import type { Owner } from './watched-owner.ts';
import type { Entries } from './watched-repository.ts';
import { chunkLength, watchedRepository } from './watched-repository.ts';

export interface PersonDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
}

const readMs = limits.watchedReadSeconds * 1_000;
/** A round that has to read more entries than this is read while draws go on without it. */
const longLength = chunksAtOnce * chunkLength;
/** Videos that were drawn last and may not have been shown yet; other draws avoid them. */
const maxGiven = 32;

/** The log and the rounds of one owner, as far as this node knows them. */
export class WatchedPerson {
  readonly owner: Owner;
  readonly rounds: OwnRounds;
  /** How many reports have come. */
  reports = 0;
  /** Whether the log is kept in the database. */
  isKept = false;
  given: readonly number[] = [];
  private readonly deps: PersonDeps;
  private log = newLog();
  private readAt = Number.NEGATIVE_INFINITY;
  /** The rounds that are being read. */
  private readonly reading = new Map<string, Promise<Round | null>>();
  private turn: Promise<unknown> = Promise.resolve();

  /** @param onGone is called for a round whose memory is freed */
  constructor(owner: Owner, deps: PersonDeps, onGone: (round: Round) => void) {
    this.owner = owner;
    this.deps = deps;
    this.rounds = new OwnRounds(onGone);
  }

  get isDirty(): boolean {
    return this.isKept && (this.log.hasUnwritten || this.rounds.listUsed().length > 0);
  }

  /** Reads what other nodes have written, unless it was read a moment ago. */
  catchUp(): Promise<void> {
    const isRecent = () => this.deps.clock.elapsed() - this.readAt < readMs;
    return isRecent() ? Promise.resolve() : this.inTurn(async () => (isRecent() ? undefined : this.read()));
  }

  /** The round of a filter; null while much of the log is read for it. */
  async findRound(selection: string): Promise<Round | null> {
    const known = this.rounds.get(selection);
    if (known !== undefined) {
      known.isUsed = true;
      return known;
    }
    const startedAt = this.rounds.startOf(selection);
    const copy = this.rounds.copySeen(startedAt);
    if (copy !== null) return this.rounds.add(selection, startedAt, copy);
    const reading = this.reading.get(selection) ?? this.readRound(selection, startedAt);
    this.reading.set(selection, reading);
    const isLong = this.log.length - startedAt > longLength;
    if (!isLong) return reading;
    // Whoever draws next reads it again, and is told of the failure.
    reading.catch(() => {});
    return null;
  }

  /** Adds a report to the log and to the rounds. */
  record(device: string, numbers: readonly number[], libraryLength: number): void {
    const minute = Math.floor(this.deps.clock.now() / 60_000);
    for (const number of this.log.add(device, numbers, minute, libraryLength)) this.rounds.mark(number);
    if (!this.isKept) this.rounds.moveBack(this.log.keepUnwritten(limits.watchedRepeats));
  }

  /** Remembers a video that was drawn. */
  give(number: number): void {
    this.given = [...this.given, number].slice(-maxGiven);
  }

  /**
   * Begins a round again, at the end of the log.
   * @returns false if nothing was shown since it began, or if it has begun again meanwhile
   */
  restart(round: Round): Promise<boolean> {
    const before = round.restarts;
    return this.inTurn(async () => {
      if (!this.rounds.has(round) || round.restarts !== before || round.seen.numbers.isEmpty) return false;
      await this.writeNow(round);
      if (!this.rounds.has(round)) return true;
      round.restarts += 1;
      round.startedAt = this.isKept ? this.log.length : this.log.end;
      round.seen.clear();
      round.seen.markAll(this.log.numbersFrom(round.startedAt));
      return true;
    });
  }

  /** Writes what is not written yet. */
  write(): Promise<void> {
    return this.inTurn(() => this.writeNow(null));
  }

  /** The whole log in its pieces, the latest last. */
  readLog(): Promise<Pick<Entries, 'numbers' | 'minutes'>[]> {
    return this.inTurn(async () => {
      const chunks = Math.ceil(limits.watchedEntries / chunkLength) + 1;
      const { reader } = this.deps.database;
      const stored = this.isKept ? await watchedRepository.readFrom(reader, this.owner.key, 0, chunks) : [];
      return [...stored, this.log.listUnwritten()];
    });
  }

  /** Deletes the log and all rounds, here and in the database. */
  forget(): Promise<void> {
    return this.inTurn(async () => {
      await this.deps.database.write((transaction) => watchedRepository.forget(transaction, this.owner.key));
      this.reset();
    });
  }

  /** Frees the memory of a round, and stores what it has seen if that would take long to read. */
  async letGo(round: Round): Promise<void> {
    const entries = this.log.length;
    const isLong = this.isKept && entries - round.startedAt > longLength;
    const bits = isLong ? round.seen.toBytes() : null;
    this.rounds.free(round);
    if (bits === null) return;
    await this.deps.database.write((transaction) =>
      watchedRepository.writeSeen(transaction, this.owner.key, round, { bits, entries }),
    );
  }

  /** Forgets everything that this node knows. */
  reset(): void {
    this.rounds.clear();
    this.log = newLog();
    this.given = [];
    this.isKept = false;
    this.reports = 0;
    this.readAt = Number.NEGATIVE_INFINITY;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.turn.then(work);
    this.turn = next.catch(() => {});
    return next;
  }

  private async read(): Promise<void> {
    const { database, clock } = this.deps;
    const { reader } = database;
    const { key } = this.owner;
    const stored = await watchedRepository.find(reader, key);
    // A log that is not written yet meets the one in the database when it is.
    const isUnwritten = this.log.stored === null && this.log.hasUnwritten;
    if (stored !== null && !isUnwritten && stored.logId === this.log.stored?.logId) {
      const newer = await this.log.readNewer(reader, key, stored.entries);
      this.takeOver(newer);
      this.log.markWritten({ stored, count: 0 }, newer);
    } else if (!isUnwritten && (stored !== null || this.log.stored !== null)) {
      this.reset();
      await this.log.read(reader, key);
      this.isKept = this.log.stored !== null;
    }
    if (stored !== null) this.rounds.compare(await watchedRepository.listRounds(reader, key));
    this.readAt = clock.elapsed();
  }

  private takeOver(newer: readonly Entries[]): void {
    for (const { numbers } of newer) this.rounds.markAll(numbers);
  }

  private async readRound(selection: string, startedAt: number): Promise<Round | null> {
    const { log } = this;
    const seen = new Seen();
    try {
      await this.readSeen(seen, log, { selection, startedAt });
      if (log === this.log) {
        seen.markAll(log.numbersFrom(startedAt));
        return this.rounds.add(selection, startedAt, seen);
      }
    } catch (error) {
      seen.dispose();
      throw error;
    } finally {
      this.reading.delete(selection);
    }
    seen.dispose();
    return null;
  }

  /** Marks what was written since a round began. */
  private async readSeen(seen: Seen, log: WatchedLog, round: { selection: string; startedAt: number }): Promise<void> {
    const { reader } = this.deps.database;
    const { key } = this.owner;
    if (log.stored === null) return;
    const stored = await watchedRepository.readSeen(reader, key, round);
    if (stored !== null) seen.addBytes(stored.bits);
    await log.visit(reader, key, Math.max(round.startedAt, stored?.entries ?? 0), {
      onPiece: (numbers) => seen.markAll(numbers.toSorted()),
      isOver: () => log !== this.log,
      clock: this.deps.clock,
    });
  }

  /** @param restarted a round that begins again behind what is written */
  private async writeNow(restarted: Round | null): Promise<void> {
    if (!this.isKept) return;
    const { database, clock, ids } = this.deps;
    const { key, userId } = this.owner;
    const now = clock.now();
    this.rounds.beginInLog();
    const used = new Set([...this.rounds.listUsed(), ...(restarted === null ? [] : [restarted])]);
    const done = await database.write(async (transaction) => {
      const held = await watchedRepository.hold(transaction, this.owner, ids.short(), now);
      if (held === null || (this.log.stored !== null && this.log.stored.logId !== held.logId)) return null;
      if (userId === null && held.entries === 0)
        await watchedRepository.keepBrowsers(transaction, limits.watchedBrowsers);
      const newer = await this.log.readNewer(transaction, key, held.entries);
      const written = await this.log.write(transaction, key, held, now);
      for (const { selection, startedAt } of used) {
        const isRestart = selection === restarted?.selection;
        const place = { selection, startedAt: isRestart ? written.stored.entries : startedAt, isRestart };
        await watchedRepository.putRound(transaction, key, place, now);
      }
      const begun = await watchedRepository.keepRounds(transaction, key, limits.watchedRounds);
      return { newer, written, begun };
    });
    // The account is gone, or the log was forgotten on another node.
    if (done === null) return this.reset();
    this.takeOver(done.newer);
    this.log.markWritten(done.written, done.newer);
    for (const round of used) round.isUsed = false;
    if (restarted !== null) restarted.startedAt = this.log.length;
    this.rounds.compare(done.begun);
  }
}

function newLog(): WatchedLog {
  return new WatchedLog({ most: limits.watchedEntries, repeats: limits.watchedRepeats });
}
