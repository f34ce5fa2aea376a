import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { RoaringBitmap32 } from 'roaring-wasm';
import { nameKey } from '#contract/rules/text.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Insertion, NamePlace } from './name-chunks.ts';
import { comparePlaces, NameChunks } from './name-chunks.ts';

/** Videos that are placed together. About ten names are read for each of them. */
const placedTogether = 2_000;
/**
 * All videos in the order of their names, for lists by name. It is built from all names once
 * after the start. Then it follows the new, renamed and removed videos in the log of the sets: a
 * binary search, which reads the names that it compares, finds each position.
 */
export class NameOrder {
  private readonly reader: Executor;
  private readonly idSets: Pick<IdSets, 'follow' | 'onNames'>;
  private readonly chunks = new NameChunks();
  /** Videos that are new, renamed or removed since they were placed. */
  private readonly changed = new Set<number>();
  /** False until all names have been read, and again after the log lost changes. */
  private isWhole = false;
  private isFollowing = false;
  private turn: Promise<void> | null = null;

  constructor(reader: Executor, idSets: Pick<IdSets, 'follow' | 'onNames'>) {
    this.reader = reader;
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
    this.isFollowing = false;
  }

  /**
   * Places everything committed so far before a list is read. During a scan of many files, which
   * would delay the list, new videos may be at its end.
   */
  async catchUp(): Promise<void> {
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
      this.chunks.fill(await sortNames(this.reader));
    } catch (error) {
      this.isWhole = false;
      throw error;
    }
  }

  private async placeSome(): Promise<void> {
    const batch = new Set([...this.changed].slice(0, placedTogether));
    for (const number of batch) this.changed.delete(number);
    const search = new PlaceSearch(this.reader, this.chunks, batch);
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
  readonly place: NamePlace;
  readonly chunk: number;
  readonly videos: readonly number[];
  low: number;
  high: number;
}

/** Finds the positions of some videos. The order must not change meanwhile. */
class PlaceSearch {
  /** The names read so far. */
  readonly keys = new Map<number, string>();
  /** Videos that have a position but no name, because they have been removed. */
  readonly missing = new Set<number>();
  private readonly asked = new Set<number>();
  private readonly reader: Executor;
  private readonly chunks: NameChunks;
  private readonly batch: ReadonlySet<number>;

  constructor(reader: Executor, chunks: NameChunks, batch: ReadonlySet<number>) {
    this.reader = reader;
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

  private searchIn(chunk: number, places: readonly NamePlace[]): Search[] {
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
      const rows = await selectNames(this.reader).where('number', 'in', some).execute();
      for (const { number, name } of rows) this.keys.set(number, nameKey(name));
    }
  }
}

/** The name that a video is sorted by: the title that it was given, otherwise its file name. */
function selectNames(executor: Executor) {
  return executor
    .selectFrom('videos')
    .select(['number', ({ fn }) => fn.coalesce('edited_title', 'found_title', 'filename').as('name')]);
}

function middleOf({ low, high }: Search): number {
  return (low + high) >>> 1;
}

/** Videos in the order of their names. */
interface SortedNames {
  readonly keys: readonly string[];
  readonly numbers: Uint32Array;
}

/** Names that are read and sorted at once, in some milliseconds. */
const pageLength = 2_000;
/** Names that are merged at once, in some milliseconds. */
const mergedTogether = 16_384;

/**
 * The sorted names of all videos. They are read in pages and merged in slices, so that nothing else
 * waits long. For a million videos this takes some seconds and some 100 MB.
 */
async function sortNames(executor: Executor): Promise<SortedNames> {
  // Each run is at least twice as long as the next one.
  const runs: SortedNames[] = [];
  const mergeLast = async () => {
    const [first, second] = runs.splice(-2);
    if (first !== undefined && second !== undefined) runs.push(await mergeRuns(first, second));
  };
  for await (const page of readPages(executor)) {
    runs.push(toRun(page));
    while (isShort(runs.at(-2), runs.at(-1))) await mergeLast();
  }
  while (runs.length > 1) await mergeLast();
  return runs[0] ?? { keys: [], numbers: new Uint32Array() };
}

async function* readPages(executor: Executor): AsyncGenerator<NamePlace[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const rows: { number: number; name: string }[] = await selectNames(executor)
      .where('number', '>', after)
      .orderBy('number')
      .limit(pageLength)
      .execute();
    yield rows.map(({ number, name }) => ({ key: nameKey(name), number }));
    await letOthersRun();
    after = rows.at(-1)?.number;
  }
}

function toRun(places: NamePlace[]): SortedNames {
  places.sort(comparePlaces);
  return { keys: places.map(({ key }) => key), numbers: Uint32Array.from(places, ({ number }) => number) };
}

function isShort(run: SortedNames | undefined, next: SortedNames | undefined): boolean {
  return run !== undefined && next !== undefined && run.numbers.length < 2 * next.numbers.length;
}

async function mergeRuns(a: SortedNames, b: SortedNames): Promise<SortedNames> {
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

function goesFirst(a: SortedNames, fromA: number, b: SortedNames, fromB: number): boolean {
  const [keyA = '', keyB = ''] = [a.keys[fromA], b.keys[fromB]];
  return keyA < keyB || (keyA === keyB && (a.numbers[fromA] ?? 0) > (b.numbers[fromB] ?? 0));
}
