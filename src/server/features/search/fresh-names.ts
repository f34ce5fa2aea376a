import { setImmediate as letOthersRun } from 'node:timers/promises';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SearchWord } from './name-grams.ts';
import { SearchableName } from './name-grams.ts';
import { listUnindexed, readMarkRange } from './name-index-repository.ts';

export interface FreshNamesDeps {
  reader: Executor;
  idSets: Pick<IdSets, 'onNames'>;
}

/** Names in memory, some 10 MB; the oldest are found again when the index has them. */
const maxNames = 65_536;
/** From so many on, the index is to take them in soon. */
const manyNames = 16_384;
/** A search waits until so many names have been read, and not for those of a large scan. */
const awaitedNames = 2_000;

/**
 * New and changed file names that the index does not have yet. They are few and in memory, so that a search finds a
 * video as soon as its transaction is committed, on every node.
 */
export class FreshNames {
  private readonly deps: FreshNamesDeps;
  /** Names that have come since the last look at the marks, and those that had come before it; by video. */
  private names = new Map<number, SearchableName>();
  private olderNames = new Map<number, SearchableName>();
  /** The highest mark when the older ones had come. */
  private lastOlderMark = 0;
  /** Videos whose names are still to be read. */
  private readonly unread = new Set<number>();
  private loading: Promise<void> | null = null;
  private reading: Promise<void> | null = null;

  constructor(deps: FreshNamesDeps) {
    this.deps = deps;
    deps.idSets.onNames((numbers) => {
      if (numbers === null) this.loading = null;
      // What was committed before is marked, and found by the marks.
      if (this.loading === null || numbers === null) return;
      for (const number of numbers) this.unread.add(number);
      // What fails here is read for the next search, or after the next name.
      this.readAll().catch(() => {});
    });
  }

  /** The index is to take them in soon. */
  get areMany(): boolean {
    return this.names.size + this.olderNames.size > manyNames;
  }

  /** Videos of which the index may know nothing, or a name of before. */
  list(): number[] {
    return [...this.olderNames.keys(), ...this.names.keys()];
  }

  /** Videos whose fresh names have all words. */
  find(words: readonly SearchWord[]): number[] {
    return [...this.olderNames, ...this.names]
      .filter(([, name]) => words.every((word) => name.has(word)))
      .map(([number]) => number);
  }

  /** For a search: what was committed before is known, but for the names of a scan of many files. */
  async catchUp(): Promise<void> {
    this.loading ??= this.load();
    await this.loading;
    await this.reading;
    while (this.unread.size > 0 && this.unread.size <= awaitedNames) await this.readSome();
  }

  /** Every now and then: what the index has taken in leaves. */
  async forgetIndexed(): Promise<void> {
    const marks = await readMarkRange(this.deps.reader);
    if (marks !== null && marks.first <= this.lastOlderMark) return;
    this.olderNames = this.names;
    this.names = new Map();
    // Until that is known, nothing is forgotten.
    this.lastOlderMark = Number.POSITIVE_INFINITY;
    this.lastOlderMark = (await readMarkRange(this.deps.reader))?.last ?? 0;
  }

  /** The newest of those that were committed before anybody listened. */
  private async load(): Promise<void> {
    try {
      const marks = await readMarkRange(this.deps.reader);
      let after = marks === null ? null : Math.max(0, marks.last - maxNames);
      while (after !== null) {
        const page = await listUnindexed(this.deps.reader, after, inListLength);
        for (const { videoNumber, filename } of page) this.put(videoNumber, filename);
        after = page.at(-1)?.number ?? null;
        await letOthersRun();
      }
    } catch (error) {
      this.loading = null;
      throw error;
    }
  }

  private async readAll(): Promise<void> {
    while (this.unread.size > 0) await this.readSome();
  }

  private readSome(): Promise<void> {
    this.reading ??= this.readNext().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readNext(): Promise<void> {
    const numbers = [...this.unread].slice(0, inListLength);
    for (const number of numbers) this.unread.delete(number);
    try {
      await letOthersRun();
      const rows = await this.deps.reader
        .selectFrom('videos')
        .select(['number', 'filename'])
        .where('number', 'in', numbers)
        .execute();
      for (const { number, filename } of rows) this.put(number, filename);
    } catch (error) {
      for (const number of numbers) this.unread.add(number);
      throw error;
    }
  }

  private put(number: number, filename: string | null): void {
    this.olderNames.delete(number);
    this.names.delete(number);
    if (filename === null) return;
    this.names.set(number, new SearchableName(filename));
    if (this.names.size + this.olderNames.size <= maxNames) return;
    const oldest = this.olderNames.size > 0 ? this.olderNames : this.names;
    for (const first of oldest.keys()) {
      oldest.delete(first);
      return;
    }
  }
}
