import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { userChangeRepository } from './user-change-repository.ts';

type Listener = (userId: string) => void;

/** The log no longer counts when it was not read for this long, in milliseconds. */
const followedForMs = 5_000;
/** Changes older than an hour are deleted, so that a process that slept for long begins anew. */
const longestGapMs = 600_000;

/** One moment on both clocks: a machine that sleeps stops one, and an operator sets the other. */
interface Moment {
  elapsed: number;
  now: number;
}

/**
 * Notifies caches of this process that an account or a session has changed: at once of changes
 * here, and of those that other nodes or operators make with the next reading of the log.
 */
export class PeopleLog {
  private readonly database: Pick<Database, 'reader' | 'dialect'>;
  private readonly clock: Clock;
  private readonly listeners: Listener[] = [];
  private next: number | null = null;
  /** The first and the last reading without a gap between them; null before any. */
  private readings: { first: Moment; last: Moment } | null = null;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
  }

  /**
   * Whether what was read from the database then still holds for everybody who was not notified.
   * @param readAt `clock.elapsed()`
   */
  holds(readAt: number): boolean {
    if (this.readings === null || readAt < this.readings.first.elapsed) return false;
    return this.msSince(this.readings.last) < followedForMs;
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  notify(userId: string): void {
    for (const listener of this.listeners) listener(userId);
  }

  /** Reads the log. What changes while it is read is notified by this reading or by the next one. */
  async follow(): Promise<void> {
    const begun = { elapsed: this.clock.elapsed(), now: this.clock.now() };
    const { reader, dialect } = this.database;
    const { people, next } = await userChangeRepository.readChanged(reader, dialect, this.next);
    this.next = next;
    const now = { elapsed: this.clock.elapsed(), now: this.clock.now() };
    const hasGap = this.readings === null || this.msSince(this.readings.last) >= longestGapMs;
    this.readings = { first: hasGap ? now : (this.readings?.first ?? now), last: begun };
    for (const userId of people) this.notify(userId);
  }

  private msSince({ elapsed, now }: Moment): number {
    return Math.max(this.clock.elapsed() - elapsed, Math.abs(this.clock.now() - now));
  }
}
