import { serviceWorkers } from '#app/platform/later-capabilities.ts';
import type { QueryOf, ReplyOf } from '#contract/endpoint.ts';
import type { listFavourites, listTags, listVideosByTags, listWatched } from '#contract/endpoints.ts';
import { answerWithCache } from '#device/cached-call.ts';
import { cachedAtHeader, markHeader } from '#device/messages.ts';
import { call } from './call.ts';
import type { Outgoing } from './fetch-answer.ts';
import { fetchResponse } from './fetch-answer.ts';
import { viewerMark } from './token-store.ts';

type ListEndpoint = typeof listFavourites | typeof listTags | typeof listVideosByTags | typeof listWatched;

interface CachedReply<Reply> {
  reply: Reply;
  /**
   * The time of the server's answer in epoch milliseconds, for a stored answer: its signed URLs may
   * have expired. Else null.
   */
  cachedAt: number | null;
}

/**
 * Requests a list that this device caches. When the server does not answer, the same viewer's
 * stored list does.
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

/**
 * Fetches with the viewer's mark. The service worker answers from the cache; when none controls the
 * page, the page does.
 */
function fetchMarked(request: Outgoing, accessToken: string | null): Promise<Response> {
  const mark = viewerMark();
  const headers = mark === null ? undefined : { [markHeader]: mark };
  const ask = () => fetchResponse({ ...request, headers }, accessToken);
  if (serviceWorkers()?.controller) return ask();
  return answerWithCache({ address: request.address, mark, ask, inBackground: (work) => void work });
}
