import { limits } from '#contract/limits.ts';
import { answerWithCache, isCachedCall } from '#device/cached-call.ts';
import type { CacheStores } from '#device/filter-cache.ts';
import { markHeader } from '#device/messages.ts';
import { after } from '#device/timers.ts';

/** Whether the worker answers this call. */
export function isListCall(request: Request, url: URL): boolean {
  return isCachedCall(request.method, url.pathname) && request.headers.has(markHeader);
}

/** Sends the request to the server unchanged: its `Authorization` is neither read nor stored. */
export function answerListCall(
  request: Request,
  event: Pick<ExtendableEvent, 'waitUntil'>,
  stores?: CacheStores,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const call = {
    address: `${pathname}${search}`,
    mark: request.headers.get(markHeader),
    ask: () => fetch(request, { signal: limitOf(request) }),
    inBackground: (work: Promise<void>) => event.waitUntil(work),
  };
  return answerWithCache(call, stores);
}

/**
 * Limits the time of a request. Old engines do not tell a worker that the page has aborted: the
 * limit of a call ends it too, so that no connection stays open.
 */
function limitOf({ signal }: Request): AbortSignal {
  const limit = new AbortController();
  after(limits.callTimeoutSeconds * 1000, () => limit.abort());
  signal.addEventListener('abort', () => limit.abort());
  return limit.signal;
}
