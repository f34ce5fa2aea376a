import type { IDBPObjectStore } from 'idb';
import { limits } from '#contract/limits.ts';
import type { Connection, DeviceDatabase } from './device-database.ts';
import { changeStore, deviceDatabase, facts } from './device-database.ts';
import type { CachedAnswer, DeviceSchema } from './device-schema.ts';
import { newRandomId } from './random-id.ts';
import { now } from './timers.ts';

/**
 * Whether an answer is recent enough to replace that of a slow server. A time in the future counts
 * as too old.
 */
export function isFresh({ storedAt }: Pick<CachedAnswer, 'storedAt'>, at: number): boolean {
  const age = at - storedAt;
  return age >= 0 && age < limits.filterCacheMinutes * 60_000;
}

/**
 * Answers of the lists of channels and videos: the last `filterCacheEntries` that were used.
 * Failures of the storage are ignored, as this is a cache.
 */
export class FilterCache {
  private readonly database: DeviceDatabase;
  private readonly memory = new AnswersInMemory();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  async read(mark: string, address: string): Promise<CachedAnswer | null> {
    const query = toCacheKey(address);
    const found = this.database.run<CachedAnswer | undefined>(
      (connection) => readAndTouch(connection, mark, query),
      () => this.memory.read(mark, query),
    );
    return (await found.catch(ignoreFailure)) ?? null;
  }

  async store(mark: string, address: string, body: string): Promise<void> {
    if (body.length > limits.filterCacheCharacters) return;
    const time = now();
    const answer = { mark, query: toCacheKey(address), body, storedAt: time, usedAt: time };
    const stored = this.database.run(
      (connection) => storeAndTrim(connection, answer),
      () => this.memory.store(answer),
    );
    await stored.catch(ignoreFailure);
  }

  /**
   * The first result of `search` that is not null, over the stored answers of this path, the most
   * recently used first.
   */
  async find<Found>(mark: string, path: string, search: (body: string) => Found | null): Promise<Found | null> {
    const searchAnswer = (answer: CachedAnswer) =>
      answer.mark === mark && answer.query.startsWith(`${path}?`) ? search(answer.body) : null;
    const found = this.database.run(
      (connection) => findLastUsed(connection, searchAnswer),
      () => this.memory.find(searchAnswer),
    );
    return (await found.catch(ignoreFailure)) ?? null;
  }

  /** Deletes a viewer's answers of one path. */
  async forget(mark: string, path: string): Promise<void> {
    const isMeant = (answer: Pick<CachedAnswer, 'mark' | 'query'>) =>
      answer.mark === mark && answer.query.startsWith(`${path}?`);
    const forgotten = this.database.run(
      (connection) => deleteAnswers(connection, isMeant),
      () => this.memory.forget(isMeant),
    );
    await forgotten.catch(ignoreFailure);
  }

  /**
   * Deletes all answers. One that remains after a failure has a mark that no viewer has any more.
   */
  async clear(): Promise<void> {
    const cleared = this.database.run(
      (connection) => connection.clear('cached-answers'),
      () => this.memory.clear(),
    );
    await cleared.catch(ignoreFailure);
  }
}

type AnswerStore = IDBPObjectStore<DeviceSchema, ['cached-answers'], 'cached-answers', 'readwrite'>;

function readAndTouch(connection: Connection, mark: string, query: string): Promise<CachedAnswer | undefined> {
  return changeStore(connection, 'cached-answers', async (store) => {
    const answer = await store.get([mark, query]);
    if (answer) await store.put({ ...answer, usedAt: await nextUse(store) });
    return answer;
  });
}

function storeAndTrim(connection: Connection, answer: CachedAnswer): Promise<void> {
  return changeStore(connection, 'cached-answers', async (store) => {
    await store.put({ ...answer, usedAt: await nextUse(store) });
    const tooMany = (await store.count()) - limits.filterCacheEntries;
    const oldest = tooMany > 0 ? await store.index('by-use').getAllKeys(null, tooMany) : [];
    await Promise.all(oldest.map((key) => store.delete(key)));
  });
}

/** Each use is later than those before it: a clock that was ahead keeps no later answer out. */
async function nextUse(store: AnswerStore): Promise<number> {
  const last = await store.index('by-use').openKeyCursor(null, 'prev');
  return Math.max(now(), (last?.key ?? 0) + 1);
}

function deleteAnswers(connection: Connection, isMeant: (answer: CachedAnswer) => boolean): Promise<void> {
  return changeStore(connection, 'cached-answers', async (store) => {
    for (let cursor = await store.openCursor(); cursor; cursor = await cursor.continue())
      if (isMeant(cursor.value)) await cursor.delete();
  });
}

async function findLastUsed<Found>(
  connection: Connection,
  search: (answer: CachedAnswer) => Found | null,
): Promise<Found | null> {
  const byUse = connection.transaction('cached-answers').store.index('by-use');
  for (let cursor = await byUse.openCursor(null, 'prev'); cursor; cursor = await cursor.continue()) {
    const found = search(cursor.value);
    if (found !== null) return found;
  }
  return null;
}

/** The cache without a database, for the life of the page, in the order of use. */
class AnswersInMemory {
  private readonly answers = new Map<string, CachedAnswer>();

  read(mark: string, query: string): CachedAnswer | undefined {
    const answer = this.answers.get(`${mark} ${query}`);
    if (answer) this.store(answer);
    return answer;
  }

  store(answer: CachedAnswer): void {
    const key = `${answer.mark} ${answer.query}`;
    this.answers.delete(key);
    this.answers.set(key, answer);
    const [oldest] = this.answers.keys();
    if (this.answers.size > limits.filterCacheEntries && oldest !== undefined) this.answers.delete(oldest);
  }

  find<Found>(search: (answer: CachedAnswer) => Found | null): Found | null {
    for (const answer of [...this.answers.values()].reverse()) {
      const found = search(answer);
      if (found !== null) return found;
    }
    return null;
  }

  forget(isMeant: (answer: CachedAnswer) => boolean): void {
    for (const [key, answer] of this.answers) if (isMeant(answer)) this.answers.delete(key);
  }

  clear(): void {
    this.answers.clear();
  }
}

/** A failing cache is ignored: the server answers instead. */
function ignoreFailure(): void {}

export const filterCache = new FilterCache(deviceDatabase);

/**
 * The address of a call with parameters and ids in a fixed order: addresses that differ only in
 * that order share an answer.
 */
export function toCacheKey(address: string): string {
  const [path = '', search = ''] = address.split('?');
  const params = Array.from(new URLSearchParams(search), ([name, value]) => `${name}=${orderIds(name, value)}`);
  return `${path}?${params.sort().join('&')}`;
}

function orderIds(name: string, value: string): string {
  return name.endsWith('_ids') ? value.split(',').sort().join(',') : value;
}

export interface CacheStores {
  facts: typeof facts;
  filterCache: FilterCache;
}

/**
 * The mark under which this viewer's answers are cached: a random one for each sign-in, and one for
 * anonymous viewers. A viewer other than the last one, or one with another plan, gets a new mark,
 * and the cache is cleared.
 * @param userId null: anonymous
 */
export async function claimMark(
  userId: string | null,
  tier: string | null = null,
  stores: CacheStores = { facts, filterCache },
): Promise<string> {
  let isNew = false;
  const { mark } = await stores.facts.update('viewer', (known) => {
    isNew = known?.userId !== userId || (known.tier ?? null) !== tier;
    return known && !isNew ? known : { mark: newRandomId(), userId, tier };
  });
  if (isNew) await stores.filterCache.clear();
  return mark;
}
