import type { QueryOf, ReplyOf } from '#contract/endpoint.ts';
import type { listTags, listVideosByTags } from '#contract/endpoints.ts';
import { answerWithCache } from '#device/cached-call.ts';
import { cachedAtHeader, markHeader } from '#device/messages.ts';
import { serviceWorkers } from '../capabilities.ts';
import { call } from './call.ts';
import type { Outgoing } from './fetch-answer.ts';
import { fetchResponse } from './fetch-answer.ts';
import { viewerMark } from './token-store.ts';

type ListEndpoint = typeof listTags | typeof listVideosByTags;

export interface CachedReply<Reply> {
  reply: Reply;
  /** When the server gave it, in epoch milliseconds, for a stored one: its signed addresses may have run out. */
  cachedAt: number | null;
}

/**
 * Calls for a list that this device caches. Where the server does not answer, the stored list of the same viewer does.
 * @throws as `call`
 */
export async function callCached<E extends ListEndpoint>(
  endpoint: E,
  query: QueryOf<E>,
  signal?: AbortSignal,
): Promise<CachedReply<ReplyOf<E>>> {
  let cachedAt: number | null = null;
  const fetch = async (request: Outgoing, accessToken: string | null) => {
    const response = await fetchMarked(request, accessToken);
    const storedAt = response.headers.get(cachedAtHeader);
    cachedAt = storedAt === null ? null : Number(storedAt);
    return response;
  };
  const reply = (await call(endpoint as typeof listTags, {
    query: query as QueryOf<typeof listTags>,
    signal,
    fetch,
  })) as ReplyOf<E>;
  return { reply, cachedAt };
}

/** The service worker answers from the cache; where none controls the page, the page does. */
function fetchMarked(request: Outgoing, accessToken: string | null): Promise<Response> {
  const mark = viewerMark();
  const headers = mark === null ? undefined : { [markHeader]: mark };
  const ask = () => fetchResponse({ ...request, headers }, accessToken);
  if (serviceWorkers()?.controller) return ask();
  return answerWithCache({ address: request.address, mark, ask, inBackground: (work) => void work });
}
