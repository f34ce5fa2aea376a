import type { Clock } from '../../clock.ts';
import { isDatabaseAway } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
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
}

/**
 * Cache of the rows of recently drawn available videos. A row is read again only when something has
 * changed since.
 */
export interface RecentRows {
  /** Null for a video that no longer exists or can no longer be played. */
  find(number: number): Promise<VideoRow | null>;
  known(): VideoRow[];
  /** Numbers of recently drawn ids. The other ids are in `unknown`. */
  numbersOf(ids: readonly string[]): { numbers: number[]; unknown: string[] };
}

/** Each row takes about a kilobyte. */
const maxRecentRows = 2_000;

/**
 * @param revision changes with each change of videos, encodings, tags or links that this process
 * knows of
 */
export function createRecentRows(executor: Executor, revision: () => Promise<string>): RecentRows {
  const rows = new Map<number, VideoRow & { readAt: string }>();
  const numbers = new Map<string, number>();

  function forget(number: number): void {
    const row = rows.get(number);
    if (row === undefined) return;
    rows.delete(number);
    numbers.delete(row.video.id);
  }

  async function read(number: number, readAt: string): Promise<VideoRow | null> {
    const row = await readRow(executor, number);
    forget(number);
    if (row === null) return null;
    rows.set(number, { ...row, readAt });
    numbers.set(row.video.id, number);
    const [oldest] = rows.size > maxRecentRows ? rows.keys() : [];
    if (oldest !== undefined) forget(oldest);
    return row;
  }

  return {
    async find(number) {
      const now = await revision();
      const row = rows.get(number);
      return row?.readAt === now ? row : read(number, now);
    },
    known: () => [...rows.values()],
    numbersOf: (ids) => ({
      numbers: ids.flatMap((id) => numbers.get(id) ?? []),
      unknown: ids.filter((id) => !numbers.has(id)),
    }),
  };
}

async function readRow(executor: Executor, number: number): Promise<VideoRow | null> {
  const video = await videoRepository.findByNumber(executor, number);
  if (!video?.isAvailable) return null;
  const [tags, encodings, storyboards] = await Promise.all([
    videoRepository.readTagLabels(executor, number),
    encodingRepository.find(executor, video),
    encodingRepository.findStoryboards(executor, [video]),
  ]);
  return { video, tags, encodings, storyboard: storyboards.get(number) ?? null };
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
