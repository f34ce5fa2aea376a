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

/** Whether opening this address means opening the app. Video bytes are below `/api/` and never are. */
export function isShellNavigation(url: URL): boolean {
  return !isServerPath(url.pathname);
}

/** A page whose address says what to show asks by itself. */
function asksForFirstVideos(url: URL): boolean {
  return url.pathname === '/' && url.search === '';
}

/** What the worker may have asked already; a page with filters asks for a draw of its own. */
export function isFirstVideosCall(url: URL): boolean {
  return url.pathname === pickFirstVideos.path && url.search === '';
}

/**
 * Keeps every file of the app and answers for them: each by its own name, and any view's address by `index.html`.
 * The lists of channels and videos come from the server or the filter cache. Requests for anything else, all with a
 * Range among them, go past the worker untouched.
 */
export function serveAppShell(files: Array<PrecacheEntry | string>): void {
  cleanupOutdatedCaches();
  addPlugins([acceptOnlyOwnFiles]);
  // The page's own address is a navigation like the others.
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

/** What a server may call the kinds of files that the app consists of. */
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
 * Whether an answer says that it is what its address promises: a portal, or a proxy in trouble, answers a script's
 * address with a page and 200.
 */
export function isOfItsType(address: string, { status, headers }: Response): boolean {
  const [, ending = ''] = /\.(\w+)$/.exec(new URL(address).pathname) ?? [];
  return status === 200 && (typesByEnding[ending]?.test(headers.get('content-type') ?? '') ?? false);
}

/**
 * For the precache: null makes the install fail, and the version that runs stays. The bytes are compared with their
 * digest before.
 */
export const acceptOnlyOwnFiles = {
  cacheWillUpdate: async ({ request, response }: { request: Request; response: Response }) =>
    isOfItsType(request.url, response) ? response : null,
};

/** Whether the worker answers this call. All others go past it. */
export function isListCall(request: Request, url: URL): boolean {
  return isCachedCall(request.method, url.pathname) && request.headers.has(markHeader);
}

/** The request goes to the server as it is: its `Authorization` is neither read nor stored. */
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
 * Old engines do not tell a worker that the page has given up: the limit of a call ends it too, so that no connection
 * is held for good.
 */
function limitOf({ signal }: Request): AbortSignal {
  const limit = new AbortController();
  after(limits.callTimeoutSeconds * 1000, () => limit.abort());
  signal.addEventListener('abort', () => limit.abort());
  return limit.signal;
}
