import { limits } from '#contract/limits.ts';
import type { CachedAnswer, Connection, DeviceDatabase } from './device-database.ts';
import { changeStore, deviceDatabase } from './device-database.ts';
import { now } from './timers.ts';

/** Whether an answer is recent enough to stand in for a slow server. A time in the future is not believed. */
export function isFresh({ storedAt }: Pick<CachedAnswer, 'storedAt'>, at: number): boolean {
  const age = at - storedAt;
  return age >= 0 && age < limits.filterCacheMinutes * 60_000;
}

/**
 * Answers of the lists of channels and videos: the `filterCacheEntries` that were used last. It is a cache: what cannot
 * be stored or read is not there.
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

  /** What the first one finds that finds anything: the answers of this path are read one by one, the last used first. */
  async find<Found>(mark: string, path: string, search: (body: string) => Found | null): Promise<Found | null> {
    const searchAnswer = (answer: CachedAnswer) =>
      answer.mark === mark && answer.query.startsWith(`${path}?`) ? search(answer.body) : null;
    const found = this.database.run(
      (connection) => findLastUsed(connection, searchAnswer),
      () => this.memory.find(searchAnswer),
    );
    return (await found.catch(ignoreFailure)) ?? null;
  }

  /** An answer that stays after a failure has a mark that nobody has any more. */
  async clear(): Promise<void> {
    const cleared = this.database.run(
      (connection) => connection.clear('cached-answers'),
      () => this.memory.clear(),
    );
    await cleared.catch(ignoreFailure);
  }
}

function readAndTouch(connection: Connection, mark: string, query: string): Promise<CachedAnswer | undefined> {
  return changeStore(connection, 'cached-answers', async (store) => {
    const answer = await store.get([mark, query]);
    if (answer) await store.put({ ...answer, usedAt: now() });
    return answer;
  });
}

function storeAndTrim(connection: Connection, answer: CachedAnswer): Promise<void> {
  return changeStore(connection, 'cached-answers', async (store) => {
    await store.put(answer);
    const tooMany = (await store.count()) - limits.filterCacheEntries;
    const oldest = tooMany > 0 ? await store.index('by-use').getAllKeys(null, tooMany) : [];
    await Promise.all(oldest.map((key) => store.delete(key)));
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

/** For as long as the page lives, in the order of use. */
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

  clear(): void {
    this.answers.clear();
  }
}

/** The server answers instead. */
function ignoreFailure(): void {}

export const filterCache = new FilterCache(deviceDatabase);

/**
 * The address of a call in one order: what differs only in the order of its parameters, or of the ids in one of them,
 * has one answer.
 */
export function toCacheKey(address: string): string {
  const [path = '', search = ''] = address.split('?');
  const params = Array.from(new URLSearchParams(search), ([name, value]) => `${name}=${orderIds(name, value)}`);
  return `${path}?${params.sort().join('&')}`;
}

function orderIds(name: string, value: string): string {
  return name.endsWith('_ids') ? value.split(',').sort().join(',') : value;
}
