import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { RoaringBitmap32 } from 'roaring-wasm';
import type { VideoSort } from '#contract/rules/tag-filter.ts';
import { nameKey } from '#contract/rules/text.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Insertion, OrderPlace } from './order-chunks.ts';
import { comparePlaces, OrderChunks } from './order-chunks.ts';

/** Videos that are placed together. About ten names are read for each of them. */
const placedTogether = 2_000;
/** The orders of lists that are in memory. */
type OrderedSort = Exclude<VideoSort, 'newest' | 'played'>;

export type VideoOrders = Readonly<Record<OrderedSort, VideoOrder>>;

/** The order by name is built after the start, the others for the first list that needs them. */
export function createVideoOrders(reader: Executor, idSets: Pick<IdSets, 'follow' | 'onNames'>): VideoOrders {
  const create = (sort: OrderedSort) => new VideoOrder(reader, idSets, sort);
  return {
    name: create('name'),
    recorded: create('recorded'),
    longest: create('longest'),
    largest: create('largest'),
  };
}

/**
 * All videos in the order of their names, or of another column, for lists in that order. It is built
 * once from all rows. Then it follows the new, changed and removed videos in the log of the sets: a
 * binary search, which reads the keys that it compares, finds each position.
 */
export class VideoOrder {
  private readonly reader: Executor;
  private readonly idSets: Pick<IdSets, 'follow' | 'onNames'>;
  private readonly sort: OrderedSort;
  private readonly chunks = new OrderChunks();
  /** Videos that are new, renamed or removed since they were placed. */
  private readonly changed = new Set<number>();
  /** False until all rows have been read, and again after the log lost changes. */
  private isWhole = false;
  private isFollowing = false;
  private isStopped = false;
  private turn: Promise<void> | null = null;

  constructor(reader: Executor, idSets: Pick<IdSets, 'follow' | 'onNames'>, sort: OrderedSort) {
    this.reader = reader;
    this.sort = sort;
    this.idSets = idSets;
    idSets.onNames((numbers) => {
      if (numbers === null) this.isWhole = false;
      else if (this.isWhole) for (const number of numbers) this.changed.add(number);
      // A failure is retried for the next list, or after the next change.
      if (this.isFollowing) this.settle().catch(() => {});
    });
  }

  /**
   * Builds the order, and updates it from then on.
   * @throws what the database throws
   */
  async start(): Promise<void> {
    this.isFollowing = true;
    await this.settle();
  }

  stop(): void {
    this.isStopped = true;
    this.isFollowing = false;
  }

  /**
   * Places everything committed so far before a list is read. During a scan of many files, which
   * would delay the list, new videos may be at its end.
   */
  async catchUp(): Promise<void> {
    this.isFollowing = !this.isStopped;
    const isScanned = () => this.isFollowing && this.isWhole && this.changed.size > placedTogether;
    while (!this.isSettled && !isScanned()) await this.takeTurn();
  }

  /** A page of some videos by name. Those without a position come last, newest first. */
  page(videos: RoaringBitmap32, offset: number, limit: number): number[] {
    return this.chunks.page(videos, offset, limit);
  }

  private async settle(): Promise<void> {
    while (this.isFollowing && !this.isSettled) await this.takeTurn();
  }

  private get isSettled(): boolean {
    return this.isWhole && this.changed.size === 0 && this.turn === null;
  }

  private takeTurn(): Promise<void> {
    this.turn ??= (this.isWhole ? this.placeSome() : this.makeAnew()).finally(() => {
      this.turn = null;
    });
    return this.turn;
  }

  private async makeAnew(): Promise<void> {
    // Changes are recorded from here on, whether the read below includes them or not.
    this.isWhole = true;
    this.changed.clear();
    try {
      this.chunks.fill(await sortAll(this.reader, this.sort));
    } catch (error) {
      this.isWhole = false;
      throw error;
    }
  }

  private async placeSome(): Promise<void> {
    const batch = new Set([...this.changed].slice(0, placedTogether));
    for (const number of batch) this.changed.delete(number);
    const search = new PlaceSearch(this.reader, this.sort, this.chunks, batch);
    let isPlaced = false;
    try {
      const insertions = await search.find();
      // The names may be newer than the known log: names that were compared must not have changed.
      await this.idSets.follow();
      isPlaced = search.missing.size === 0 && ![...this.changed].some((number) => search.hasAskedFor(number));
      if (isPlaced && this.isWhole) this.chunks.replace(batch, insertions, search.keys);
    } finally {
      if (!isPlaced) for (const number of [...batch, ...search.missing]) this.changed.add(number);
    }
  }
}

/** The binary search for the position of a video within its chunk. */
interface Search {
  readonly place: OrderPlace;
  readonly chunk: number;
  readonly videos: readonly number[];
  low: number;
  high: number;
}

/** Finds the positions of some videos. The order must not change meanwhile. */
class PlaceSearch {
  /** The keys read so far. */
  readonly keys = new Map<number, string>();
  /** Videos that have a position but no row, because they have been removed. */
  readonly missing = new Set<number>();
  private readonly asked = new Set<number>();
  private readonly reader: Executor;
  private readonly sort: OrderedSort;
  private readonly chunks: OrderChunks;
  private readonly batch: ReadonlySet<number>;

  constructor(reader: Executor, sort: OrderedSort, chunks: OrderChunks, batch: ReadonlySet<number>) {
    this.reader = reader;
    this.sort = sort;
    this.chunks = chunks;
    this.batch = batch;
  }

  hasAskedFor(number: number): boolean {
    return this.asked.has(number);
  }

  async find(): Promise<Insertion[]> {
    await this.readNames([...this.batch]);
    const places = [...this.batch]
      .flatMap((number) => {
        const key = this.keys.get(number);
        return key === undefined ? [] : [{ key, number }];
      })
      .sort(comparePlaces);
    const byChunk = Map.groupBy(places, (place) => this.chunks.findChunk(place));
    const searches = [...byChunk].flatMap(([chunk, inside]) => this.searchIn(chunk, inside));
    for (let open = searches; open.length > 0; open = open.filter(({ low, high }) => low < high)) {
      await this.readNames(open.flatMap((search) => search.videos[middleOf(search)] ?? []));
      for (const search of open) this.narrow(search);
    }
    return searches.map(({ place, chunk, low }) => ({ place, chunk, index: low }));
  }

  private searchIn(chunk: number, places: readonly OrderPlace[]): Search[] {
    const videos = this.chunks.videosOf(chunk, (number) => this.batch.has(number));
    return places.map((place) => ({ place, chunk, videos, low: 0, high: videos.length }));
  }

  private narrow(search: Search): void {
    const middle = middleOf(search);
    const number = search.videos[middle];
    if (number === undefined) return;
    const key = this.keys.get(number);
    if (key === undefined) this.missing.add(number);
    if (key !== undefined && comparePlaces({ key, number }, search.place) < 0) search.low = middle + 1;
    else search.high = middle;
  }

  private async readNames(numbers: readonly number[]): Promise<void> {
    const unknown = [...new Set(numbers)].filter((number) => !this.asked.has(number));
    for (let from = 0; from < unknown.length; from += inListLength) {
      const some = unknown.slice(from, from + inListLength);
      for (const number of some) this.asked.add(number);
      // SQLite replies synchronously, so other work gets a turn first.
      await letOthersRun();
      const rows = await selectSorted(this.reader).where('number', 'in', some).execute();
      for (const row of rows) this.keys.set(row.number, keyOf(row, this.sort));
    }
  }
}

/** The name that a video is sorted by is the title that it was given, otherwise its file name. */
function selectSorted(executor: Executor) {
  return executor
    .selectFrom('videos')
    .select(['number', 'recorded_at', 'duration_ms', 'size'])
    .select(({ fn }) => fn.coalesce('edited_title', 'found_title', 'filename').as('name'));
}

type SortedRow = Awaited<ReturnType<ReturnType<typeof selectSorted>['executeTakeFirstOrThrow']>>;

const keys: Readonly<Record<OrderedSort, (row: SortedRow) => string>> = {
  name: ({ name }) => nameKey(name),
  recorded: ({ recorded_at }) => descendingKey(recorded_at),
  longest: ({ duration_ms }) => descendingKey(duration_ms),
  largest: ({ size }) => descendingKey(size),
};

function keyOf(row: SortedRow, sort: OrderedSort): string {
  return keys[sort](row);
}

/** Above all lengths, sizes and instants, with as many digits as any difference to them. */
const beyond = 5e15;

/** Text that sorts the highest number first, and an unknown one last. */
function descendingKey(value: number | null): string {
  return value === null ? '~' : String(Math.round(beyond - Math.max(value, -beyond / 2))).padStart(16, '0');
}

function middleOf({ low, high }: Search): number {
  return (low + high) >>> 1;
}

/** Videos in their order. */
interface SortedKeys {
  readonly keys: readonly string[];
  readonly numbers: Uint32Array;
}

/** Keys that are read and sorted at once, in some milliseconds. */
const pageLength = 2_000;
/** Keys that are merged at once, in some milliseconds. */
const mergedTogether = 16_384;

/**
 * The sorted keys of all videos. They are read in pages and merged in slices, so that nothing else
 * waits long. For a million videos this takes some seconds and some 100 MB.
 */
async function sortAll(executor: Executor, sort: OrderedSort): Promise<SortedKeys> {
  // Each run is at least twice as long as the next one.
  const runs: SortedKeys[] = [];
  const mergeLast = async () => {
    const [first, second] = runs.splice(-2);
    if (first !== undefined && second !== undefined) runs.push(await mergeRuns(first, second));
  };
  for await (const page of readPages(executor, sort)) {
    runs.push(toRun(page));
    while (isShort(runs.at(-2), runs.at(-1))) await mergeLast();
  }
  while (runs.length > 1) await mergeLast();
  return runs[0] ?? { keys: [], numbers: new Uint32Array() };
}

async function* readPages(executor: Executor, sort: OrderedSort): AsyncGenerator<OrderPlace[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: SortedRow[] = await selectSorted(executor)
      .where('number', '>', after)
      .orderBy('number')
      .limit(pageLength)
      .execute();
    yield rows.map((row) => ({ key: keyOf(row, sort), number: row.number }));
    await letOthersRun();
    after = rows.at(-1)?.number;
  }
}

function toRun(places: OrderPlace[]): SortedKeys {
  places.sort(comparePlaces);
  return { keys: places.map(({ key }) => key), numbers: Uint32Array.from(places, ({ number }) => number) };
}

function isShort(run: SortedKeys | undefined, next: SortedKeys | undefined): boolean {
  return run !== undefined && next !== undefined && run.numbers.length < 2 * next.numbers.length;
}

async function mergeRuns(a: SortedKeys, b: SortedKeys): Promise<SortedKeys> {
  const length = a.numbers.length + b.numbers.length;
  const keys: string[] = [];
  const numbers = new Uint32Array(length);
  let [fromA, fromB] = [0, 0];
  for (let to = 0; to < length; to += 1) {
    if (to % mergedTogether === mergedTogether - 1) await letOthersRun();
    const isA = fromB === b.numbers.length || (fromA < a.numbers.length && goesFirst(a, fromA, b, fromB));
    const run = isA ? a : b;
    const from = isA ? fromA++ : fromB++;
    keys.push(run.keys[from] ?? '');
    numbers[to] = run.numbers[from] ?? 0;
  }
  return { keys, numbers };
}

function goesFirst(a: SortedKeys, fromA: number, b: SortedKeys, fromB: number): boolean {
  const [keyA = '', keyB = ''] = [a.keys[fromA], b.keys[fromB]];
  return keyA < keyB || (keyA === keyB && (a.numbers[fromA] ?? 0) > (b.numbers[fromB] ?? 0));
}
