import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { inListLength, isDatabaseAway } from '../../database/dialect.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { ChangedVideos } from '../../id-sets/live-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import { tagRepository } from '../tags/tag-repository.ts';
import type { TagForSome } from '../videos/video-repository.ts';
import type { StoredRow, VideoRow } from './feed-repository.ts';
import { feedRepository } from './feed-repository.ts';

interface RecentRowsDeps {
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'onVideos'>;
  restrictedTags: Pick<RestrictedTags, 'revision'>;
  clock: Clock;
}

interface KnownRow extends StoredRow {
  /** `clock.elapsed()` of its reading; null once the log of the sets has told of a change. */
  readAt: number | null;
}

/** A change by hand, which the log of the sets does not tell, is seen after this time. */
const freshForMs = 300_000;
/** Each row takes about a kilobyte. */
const maxRecentRows = 5_000;

/**
 * Cache of the rows of recently drawn available videos. A change makes only the rows of its own
 * videos stale, since busy sites change something every second.
 */
export class RecentRows {
  private readonly deps: RecentRowsDeps;
  private readonly rows = new Map<number, KnownRow>();
  private readonly numbers = new Map<string, number>();
  private readonly labels: TagLabels;
  private readonly readings = new Readings((numbers) => this.readAll(numbers));
  private changes = 0;

  constructor(deps: RecentRowsDeps) {
    this.deps = deps;
    this.labels = new TagLabels(deps);
    deps.idSets.onVideos((changed) => this.outdate(changed));
  }

  /** Null for a video that no longer exists or can no longer be played. */
  async find(number: number): Promise<VideoRow | null> {
    const known = this.rows.get(number);
    const readAt = known?.readAt ?? Number.NEGATIVE_INFINITY;
    const isFresh = this.deps.clock.elapsed() - readAt < freshForMs;
    const row = known !== undefined && isFresh ? known : await this.readings.read(number);
    if (row === undefined) return null;
    await this.labels.refresh(row.tagNumbers);
    return this.withTags(row);
  }

  /** The rows as last read. */
  known(): StoredRow[] {
    return [...this.rows.values()];
  }

  /** Adds the tags as last read. */
  withTags(row: StoredRow): VideoRow {
    return { ...row, tags: this.labels.list(row.tagNumbers) };
  }

  /** Numbers of recently drawn ids. The other ids are in `unknown`. */
  numbersOf(ids: readonly string[]): { numbers: number[]; unknown: string[] } {
    return {
      numbers: ids.flatMap((id) => this.numbers.get(id) ?? []),
      unknown: ids.filter((id) => !this.numbers.has(id)),
    };
  }

  private async readAll(numbers: readonly number[]): Promise<ReadonlyMap<number, StoredRow>> {
    const [readAt, changesBefore] = [this.deps.clock.elapsed(), this.changes];
    const rows = await feedRepository.readRows(this.deps.database.reader, numbers);
    for (const number of numbers) this.forget(number);
    for (const [number, row] of rows) {
      // A change during the reading may be missing from the row.
      this.rows.set(number, { ...row, readAt: this.changes === changesBefore ? readAt : null });
      this.numbers.set(row.video.id, number);
    }
    for (const number of this.rows.keys()) {
      if (this.rows.size <= maxRecentRows) break;
      this.forget(number);
    }
    return rows;
  }

  private forget(number: number): void {
    this.numbers.delete(this.rows.get(number)?.video.id ?? '');
    this.rows.delete(number);
  }

  /** Stale rows stay, for the time in which the database does not reply. */
  private outdate(changed: ChangedVideos | null): void {
    this.changes += 1;
    const isShort = changed !== null && changed.size < this.rows.size;
    for (const number of isShort ? changed : this.rows.keys()) {
      const row = this.rows.get(number);
      if (row !== undefined && (changed === null || changed.has(number))) row.readAt = null;
    }
  }
}

interface KnownLabel {
  /** Null for a tag that is not active. */
  label: TagForSome | null;
  nameKey: string;
  /** The revision of the tags by which it was read. */
  revision: string | null;
}

/** The names of at most all tags of the site, which hold until the revision of the tags changes. */
class TagLabels {
  private readonly deps: Pick<RecentRowsDeps, 'database' | 'restrictedTags'>;
  private readonly labels = new Map<number, KnownLabel>();
  private readonly readings = new Readings((numbers) => this.readAll(numbers));

  constructor(deps: Pick<RecentRowsDeps, 'database' | 'restrictedTags'>) {
    this.deps = deps;
  }

  async refresh(numbers: readonly number[]): Promise<void> {
    const { revision } = this.deps.restrictedTags;
    const readBy = (number: number) => this.labels.get(number)?.revision ?? null;
    const unread = numbers.filter((number) => revision === null || readBy(number) !== revision);
    if (unread.length > 0) await Promise.all(unread.map((number) => this.readings.read(number)));
  }

  /** The active tags among these, by name, as last read. */
  list(numbers: readonly number[]): TagForSome[] {
    return numbers
      .flatMap((number) => this.labels.get(number) ?? [])
      .sort((one, other) => (one.nameKey < other.nameKey ? -1 : 1))
      .flatMap(({ label }) => label ?? []);
  }

  private async readAll(numbers: readonly number[]): Promise<ReadonlyMap<number, KnownLabel>> {
    const { revision } = this.deps.restrictedTags;
    const tags = await tagRepository.listByNumber(this.deps.database.reader, numbers);
    for (const { number, id, name, nameKey, color, audience, isActive } of tags)
      this.labels.set(number, { label: isActive ? { id, name, color, audience } : null, nameKey, revision });
    return this.labels;
  }
}

/** Numbers that are read together, and their values. */
interface Reading<Value> {
  numbers: Set<number>;
  values: Promise<ReadonlyMap<number, Value>>;
}

/** One reading waits for the other so long, because the database may have lost that one. */
const waitsMs = 50;

/** Picks that come while others read read theirs together: a busy server has many. */
class Readings<Value> {
  private readonly readAll: (numbers: readonly number[]) => Promise<ReadonlyMap<number, Value>>;
  /** Null as soon as it has begun. */
  private next: Reading<Value> | null = null;
  private latest: Promise<unknown> = Promise.resolve();

  /** @param readAll is called with at most `inListLength` numbers */
  constructor(readAll: (numbers: readonly number[]) => Promise<ReadonlyMap<number, Value>>) {
    this.readAll = readAll;
  }

  async read(number: number): Promise<Value | undefined> {
    this.next ??= this.plan();
    const { numbers, values } = this.next;
    numbers.add(number);
    if (numbers.size === inListLength) this.next = null;
    return (await values).get(number);
  }

  private plan(): Reading<Value> {
    const numbers = new Set<number>();
    const begin = async () => {
      const patience = setTimeout(waitsMs, null, { ref: false });
      await Promise.all([setImmediate(), Promise.race([this.latest, patience])]);
      if (this.next === reading) this.next = null;
      return this.readAll([...numbers]);
    };
    const reading = { numbers, values: begin() };
    this.latest = reading.values.catch(() => {});
    return reading;
  }
}

/** The last results from the database, reused while it does not reply. */
export class StaleCache<Value> {
  private readonly breaker: CircuitBreaker;
  private readonly maxEntries: number;
  private readonly entries = new Map<string, { value: Value }>();

  /** @param maxEntries number of entries to keep, the most recently read */
  constructor(breaker: CircuitBreaker, maxEntries: number) {
    this.breaker = breaker;
    this.maxEntries = maxEntries;
  }

  /** @throws the error of `load` when nothing is stored */
  async read(key: string, load: () => Promise<Value>): Promise<Value> {
    const last = this.entries.get(key);
    if (last !== undefined && this.breaker.isOpen) return last.value;
    try {
      return this.store(key, await load());
    } catch (error) {
      this.breaker.trip(error);
      if (last === undefined) throw error;
      return last.value;
    }
  }

  private store(key: string, value: Value): Value {
    this.entries.delete(key);
    this.entries.set(key, { value });
    const [oldest] = this.entries.size > this.maxEntries ? this.entries.keys() : [];
    if (oldest !== undefined) this.entries.delete(oldest);
    return value;
  }
}

/** After the database did not reply, calls that can do without it skip it for this long. */
const breakerOpenMs = 1_000;

export class CircuitBreaker {
  private readonly clock: Clock;
  private openUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** True while the database counts as unavailable. */
  get isOpen(): boolean {
    return this.clock.elapsed() < this.openUntil;
  }

  /** @throws the error itself unless it means that the database is unavailable */
  trip(error: unknown): void {
    if (!isDatabaseAway(error)) throw error;
    this.openUntil = this.clock.elapsed() + breakerOpenMs;
  }
}
