import { listFavourites, listTags, listVideosByTags, listWatched } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { facts } from './device-database.ts';
import type { CachedAnswer } from './device-schema.ts';
import type { CacheStores } from './filter-cache.ts';
import { filterCache, isFresh } from './filter-cache.ts';
import { cachedAtHeader } from './messages.ts';
import { after, now } from './timers.ts';

const cachedPaths: readonly string[] = [listTags, listVideosByTags, listFavourites, listWatched].map(
  ({ path }) => path,
);

/** The statuses of a proxy whose server is down, and of a server whose database is down. */
const awayStatuses = [502, 503, 504];

export interface CachedCall {
  /** Path and query. */
  address: string;
  mark: string | null;
  /** Sends the request to the server. */
  ask(): Promise<Response>;
  /** Keeps the worker alive for work that outlives the answer. */
  inBackground(work: Promise<void>): void;
}

export function isCachedCall(method: string, path: string): boolean {
  return method === 'GET' && cachedPaths.includes(path);
}

/**
 * The server's answer, which is then stored; when the server is unreachable, the stored answer,
 * however old. A fresh stored answer replaces that of a server that is silent for
 * `unansweredSeconds`, an older one after `pickTimeoutSeconds`.
 * @throws what `ask` throws, when nothing is stored
 */
export async function answerWithCache(
  call: CachedCall,
  stores: CacheStores = { facts, filterCache },
): Promise<Response> {
  const { mark } = call;
  if (mark === null) return call.ask();
  const standIn = new StandIn(mark, call.address, stores);
  const asked = call.ask().then((response) => {
    call.inBackground(standIn.store(response.clone()));
    return response;
  });
  try {
    const response = await Promise.race([asked, standIn.afterWait()]);
    return isAway(response) ? ((await standIn.read()) ?? response) : response;
  } catch (error) {
    const stored = await standIn.read();
    if (!stored) throw error;
    return stored;
  } finally {
    standIn.endWait();
  }
}

/** The stored answer of one call. */
class StandIn {
  private readonly mark: string;
  private readonly address: string;
  private readonly stores: CacheStores;
  private isWaitOver = false;
  private cancelTimer = () => {};

  constructor(mark: string, address: string, stores: CacheStores) {
    this.mark = mark;
    this.address = address;
    this.stores = stores;
  }

  async store(response: Response): Promise<void> {
    if (response.status !== 200 || !isJson(response)) return;
    const body = await response.text().catch(() => null);
    if (body !== null && (await this.isViewerHere()))
      await this.stores.filterCache.store(this.mark, this.address, body);
  }

  async read(): Promise<Response | null> {
    const answer = await this.find();
    return answer && toResponse(answer);
  }

  /** Never resolves when nothing is stored, or the wait has ended. */
  async afterWait(): Promise<Response> {
    await this.wait(limits.unansweredSeconds);
    const answer = await this.find();
    if (!answer) return new Promise(() => {});
    if (!isFresh(answer, now())) await this.wait(limits.pickTimeoutSeconds - limits.unansweredSeconds);
    return toResponse(answer);
  }

  endWait(): void {
    this.isWaitOver = true;
    this.cancelTimer();
  }

  private wait(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (!this.isWaitOver) this.cancelTimer = after(seconds * 1000, resolve);
    });
  }

  private async find(): Promise<CachedAnswer | null> {
    return (await this.isViewerHere()) ? this.stores.filterCache.read(this.mark, this.address) : null;
  }

  /** False for a page that does not know yet of a sign-out in another tab. */
  private async isViewerHere(): Promise<boolean> {
    const viewer = await this.stores.facts.read('viewer').catch(() => undefined);
    return viewer?.mark === this.mark;
  }
}

/** An HTML page in place of JSON comes from a captive portal. */
function isAway(response: Response): boolean {
  return awayStatuses.includes(response.status) || (response.ok && !isJson(response));
}

function isJson({ headers }: Response): boolean {
  return /^application\/json\b/.test(headers.get('Content-Type') ?? '');
}

function toResponse({ body, storedAt }: CachedAnswer): Response {
  return new Response(body, {
    headers: { 'Content-Type': 'application/json', [cachedAtHeader]: String(storedAt) },
  });
}
