import type { PrecacheEntry } from 'workbox-precaching';
import { addPlugins, cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { pickFirstVideos } from '#contract/endpoints.ts';
import { isServerPath } from '#contract/server-paths.ts';
import { answerListCall, isListCall } from './cached-lists.ts';
import { addFirstVideos, claimFirstVideos } from './first-videos.ts';
import { acceptOnlyOwnFiles } from './kept-files.ts';
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
