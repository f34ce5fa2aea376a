import type { PrecacheEntry } from 'workbox-precaching';
import { addPlugins, cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { pickFirstVideos } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { isServerPath } from '#contract/server-paths.ts';
import type { CacheStores } from '#device/cached-call.ts';
import { answerWithCache, isCachedCall } from '#device/cached-call.ts';
import { markHeader } from '#device/messages.ts';
import { after } from '#device/timers.ts';
import { addFirstVideos, claimFirstVideos } from './first-videos.ts';
import { isShare, receiveShare } from './share-target.ts';

/** Whether a navigation to this URL opens the app. Video URLs are below `/api/` and never do. */
export function isShellNavigation(url: URL): boolean {
  return !isServerPath(url.pathname);
}

/** Whether the page needs the first videos. A page whose URL says what to show asks by itself. */
function asksForFirstVideos(url: URL): boolean {
  return url.pathname === '/' && url.search === '';
}

/**
 * Whether the worker may have sent this call already; a page with filters requests its own videos.
 */
export function isFirstVideosCall(url: URL): boolean {
  return url.pathname === pickFirstVideos.path && url.search === '';
}

/**
 * Precaches every file of the app and serves it: each file by its own name, and any view's URL by
 * `index.html`. The lists of channels and videos come from the server or the filter cache. The
 * worker does not handle any other request, such as those with a Range.
 */
export function serveAppShell(files: Array<PrecacheEntry | string>): void {
  cleanupOutdatedCaches();
  addPlugins([acceptOnlyOwnFiles]);
  // The page's own URL is handled as a navigation like the others.
  precacheAndRoute(files, { directoryIndex: '' });
  const index = createHandlerBoundToURL('/index.html');
  registerRoute(
    ({ request, url }) => request.mode === 'navigate' && isShellNavigation(url),
    async (options) => (asksForFirstVideos(options.url) ? addFirstVideos(await index(options)) : index(options)),
  );
  registerRoute(
    ({ url, sameOrigin }) => sameOrigin && isShare(url),
    ({ request }) => receiveShare(request),
    'POST',
  );
  registerRoute(
    ({ url, sameOrigin }) => sameOrigin && isFirstVideosCall(url),
    ({ request }) => claimFirstVideos(request),
  );
  registerRoute(
    ({ url, request, sameOrigin }) => sameOrigin && isListCall(request, url),
    ({ request, event }) => answerListCall(request, event),
  );
}

/** The content types that servers use for the app's files. */
const typesByEnding: Readonly<Record<string, RegExp>> = {
  js: /^(text|application)\/(x-)?javascript\b/,
  css: /^text\/css\b/,
  html: /^text\/html\b/,
  svg: /^image\/svg\+xml\b/,
  png: /^image\/png\b/,
  woff2: /^(font|application)\/(font-)?woff2\b/,
  webmanifest: /^application\/(manifest\+)?json\b/,
};

/**
 * Whether an answer has the content type that its URL promises: a captive portal or a failing proxy
 * answers a script's URL with a page and 200.
 */
export function isOfItsType(address: string, { status, headers }: Response): boolean {
  const [, ending = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  return status === 200 && (typesByEnding[ending]?.test(headers.get('content-type') ?? '') ?? false);
}

/**
 * A plugin of the precache: null makes the install fail, and the active version stays. The bytes
 * are compared with their digest before.
 */
export const acceptOnlyOwnFiles = {
  cacheWillUpdate: async ({ request, response }: { request: Request; response: Response }) =>
    isOfItsType(request.url, response) ? response : null,
};

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
