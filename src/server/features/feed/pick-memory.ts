import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { inListLength, isDatabaseAway } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { ChangedVideos } from '../../id-sets/live-sets.ts';
import type { StoredEncoding, StoredStoryboard } from '../videos/encoding-repository.ts';
import { encodingRepository } from '../videos/encoding-repository.ts';
import type { LibraryVideo } from '../videos/video.ts';
import type { TagForSome } from '../videos/video-repository.ts';
import { videoRepository } from '../videos/video-repository.ts';

/** The stored data of a video that a pick needs. */
export interface VideoRow {
  video: LibraryVideo;
  tags: TagForSome[];
  encodings: readonly StoredEncoding[];
  storyboard: StoredStoryboard | null;
  /** Content hash that names the poster; null without one. */
  poster: string | null;
}

interface RecentRowsDeps {
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'onVideos'>;
  clock: Clock;
}

/** The rows that are read together. */
interface Reading {
  numbers: Set<number>;
  rows: Promise<ReadonlyMap<number, VideoRow>>;
}

interface KnownRow extends VideoRow {
  /** `clock.elapsed()` of its reading; null once the sets or the name of the video have changed. */
  readAt: number | null;
}

/** Changes that no set tells, such as another title of a tag, are seen after this time. */
const freshForMs = 2_000;
/** One reading waits for the other so long, because the database may have lost that one. */
const waitsMs = 50;
/** Each row takes about a kilobyte. */
const maxRecentRows = 2_000;

/**
 * Cache of the rows of recently drawn available videos. A change of the sets makes only the rows of
 * its own videos stale, since busy sites change some set every second.
 */
export class RecentRows {
  private readonly deps: RecentRowsDeps;
  private readonly rows = new Map<number, KnownRow>();
  private readonly numbers = new Map<string, number>();
  private changes = 0;
  /** Null as soon as it has begun. */
  private next: Reading | null = null;
  private latest: Promise<unknown> = Promise.resolve();

  constructor(deps: RecentRowsDeps) {
    this.deps = deps;
    deps.idSets.onVideos((changed) => this.outdate(changed));
  }

  /** Null for a video that no longer exists or can no longer be played. */
  async find(number: number): Promise<VideoRow | null> {
    const row = this.rows.get(number);
    const readAt = row?.readAt ?? Number.NEGATIVE_INFINITY;
    const isFresh = this.deps.clock.elapsed() - readAt < freshForMs;
    return row !== undefined && isFresh ? row : this.read(number);
  }

  known(): VideoRow[] {
    return [...this.rows.values()];
  }

  /** Numbers of recently drawn ids. The other ids are in `unknown`. */
  numbersOf(ids: readonly string[]): { numbers: number[]; unknown: string[] } {
    return {
      numbers: ids.flatMap((id) => this.numbers.get(id) ?? []),
      unknown: ids.filter((id) => !this.numbers.has(id)),
    };
  }

  /** Picks that come while others read their rows read theirs together: a busy server has many. */
  private async read(number: number): Promise<VideoRow | null> {
    this.next ??= this.planReading();
    const { numbers, rows } = this.next;
    numbers.add(number);
    if (numbers.size === inListLength) this.next = null;
    return (await rows).get(number) ?? null;
  }

  private planReading(): Reading {
    const numbers = new Set<number>();
    const begin = async () => {
      await Promise.all([setImmediate(), Promise.race([this.latest, setTimeout(waitsMs, null, { ref: false })])]);
      if (this.next === reading) this.next = null;
      return this.readAll([...numbers]);
    };
    const reading = { numbers, rows: begin() };
    this.latest = reading.rows.catch(() => {});
    return reading;
  }

  private async readAll(numbers: readonly number[]): Promise<ReadonlyMap<number, VideoRow>> {
    const [readAt, changesBefore] = [this.deps.clock.elapsed(), this.changes];
    const rows = await readRows(this.deps.database.reader, numbers);
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
    const row = this.rows.get(number);
    if (row === undefined) return;
    this.rows.delete(number);
    this.numbers.delete(row.video.id);
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

/** Videos that no longer exist or can no longer be played are left out. */
async function readRows(executor: Executor, numbers: readonly number[]): Promise<ReadonlyMap<number, VideoRow>> {
  const [cards, tags] = await Promise.all([
    videoRepository.readCards(executor, numbers),
    videoRepository.readTagLabels(executor, numbers),
  ]);
  const videos = [...cards.values()].map(({ video }) => video);
  // A card lacks the encodings with another audio track.
  const encodings = await encodingRepository.findMany(executor, videos);
  const rows = new Map<number, VideoRow>();
  for (const [number, { video, poster, storyboard }] of cards)
    rows.set(number, {
      ...{ video, poster, storyboard },
      tags: tags.get(number) ?? [],
      encodings: encodings.get(number) ?? [],
    });
  return rows;
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
