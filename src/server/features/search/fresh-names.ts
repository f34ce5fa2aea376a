import { setImmediate as letOthersRun } from 'node:timers/promises';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SearchWord } from './name-grams.ts';
import { SearchableName } from './name-grams.ts';
import { nameIndexRepository } from './name-index-repository.ts';

/**
 * The most names in memory, and the most characters of names and texts: about 10 MB. The oldest
 * ones beyond are found again once they are indexed.
 */
const maxNames = 65_536;
const maxCharacters = 4_000_000;
/** The number of names at which the index should be updated soon. */
const manyNames = 16_384;
/**
 * A search waits until up to this many names have been read, but not for all names of a large scan.
 */
const awaitedNames = 2_000;

/**
 * New and changed names and texts of videos that are not indexed yet. They are few and kept in
 * memory, so that a search finds a video on every node as soon as its transaction is committed.
 */
export class FreshNames {
  private readonly reader: Executor;
  /** Names by video: those added since the last check of the marks, and those added before it. */
  private names = new Map<number, SearchableName>();
  private olderNames = new Map<number, SearchableName>();
  private characters = 0;
  /** The highest mark at the time of the last check, when the older names were complete. */
  private lastOlderMark = 0;
  /** Videos whose names have not been read yet. */
  private readonly unread = new Set<number>();
  private loading: Promise<void> | null = null;
  private reading: Promise<void> | null = null;

  constructor(reader: Executor, idSets: Pick<IdSets, 'onNames'>) {
    this.reader = reader;
    idSets.onNames((numbers) => {
      if (numbers === null) this.loading = null;
      // Names committed before are marked, and `load` finds them by their marks.
      if (this.loading === null || numbers === null) return;
      for (const number of numbers) this.unread.add(number);
      // Names that fail to load are read for the next search, or after the next name.
      this.readAll().catch(() => {});
    });
  }

  /** Whether the index should be updated soon. */
  get areMany(): boolean {
    return this.names.size + this.olderNames.size > manyNames || this.characters > maxCharacters / 4;
  }

  /** Videos that the index may not contain, or only by an old name. */
  list(): number[] {
    return [...this.olderNames.keys(), ...this.names.keys()];
  }

  /** Videos whose fresh names have all words. */
  find(words: readonly SearchWord[]): number[] {
    return [...this.olderNames, ...this.names]
      .filter(([, name]) => words.every((word) => name.has(word)))
      .map(([number]) => number);
  }

  /**
   * Makes everything committed so far known to the next search, except for the names of a large
   * scan.
   */
  async catchUp(): Promise<void> {
    this.loading ??= this.load();
    await this.loading;
    await this.reading;
    while (this.unread.size <= awaitedNames && (this.unread.size > 0 || this.reading !== null)) await this.readSome();
  }

  /** Drops the names that have been indexed. Called at intervals. */
  async forgetIndexed(): Promise<void> {
    const marks = await nameIndexRepository.readMarkRange(this.reader);
    if (marks !== null && marks.first <= this.lastOlderMark) return;
    for (const number of [...this.olderNames.keys()]) this.drop(this.olderNames, number);
    [this.olderNames, this.names] = [this.names, this.olderNames];
    // Nothing is dropped until the new mark is known.
    this.lastOlderMark = Number.POSITIVE_INFINITY;
    this.lastOlderMark = (await nameIndexRepository.readMarkRange(this.reader))?.last ?? 0;
  }

  /** Loads the newest names that were committed before this process listened for changes. */
  private async load(): Promise<void> {
    try {
      const marks = await nameIndexRepository.readMarkRange(this.reader);
      let after = marks === null ? null : Math.max(0, marks.last - maxNames);
      while (after !== null) {
        const page = await nameIndexRepository.listUnindexed(this.reader, after, inListLength);
        for (const { videoNumber, text } of page) this.put(videoNumber, text);
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
      for (const [number, text] of await nameIndexRepository.readTexts(this.reader, numbers)) this.put(number, text);
    } catch (error) {
      for (const number of numbers) this.unread.add(number);
      throw error;
    }
  }

  private put(number: number, text: string | null): void {
    this.drop(this.olderNames, number);
    this.drop(this.names, number);
    if (text === null) return;
    const name = new SearchableName(text);
    this.names.set(number, name);
    this.characters += name.text.length;
    while (this.names.size + this.olderNames.size > maxNames || this.characters > maxCharacters) {
      const oldest = this.olderNames.size > 0 ? this.olderNames : this.names;
      const [first] = oldest.keys();
      if (first === undefined) return;
      this.drop(oldest, first);
    }
  }

  private drop(names: Map<number, SearchableName>, number: number): void {
    this.characters -= names.get(number)?.text.length ?? 0;
    names.delete(number);
  }
}
