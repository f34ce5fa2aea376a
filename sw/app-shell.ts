import type { PrecacheEntry } from 'workbox-precaching';
import {
  addPlugins,
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  getCacheKeyForURL,
  precacheAndRoute,
} from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { pickFirstVideos, pickVideo, recordPerformance, streamVideo } from '#contract/endpoints.ts';
import { quadrants } from '#contract/quadrants.ts';
import { isServerPath } from '#contract/server-paths.ts';
import { answerListCall, isListCall } from './cached-lists.ts';
import { addFirstVideos, claimFirstVideos } from './first-videos.ts';
import { acceptOnlyOwnFiles, askForPolicy, renewPolicy } from './kept-files.ts';
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

/** The paths of picks, streams and playback reports, which the worker never answers. */
const directPaths = [
  streamVideo.path,
  ...quadrants.map((quadrant) => pickVideo.path.replace('{quadrant}', quadrant)),
  recordPerformance.path.replace('{quadrant}', 'all'),
];

/** Static routes (Chromium 123), which the library's types lack. */
export interface RoutingEvent extends ExtendableEvent {
  addRoutes?: (rules: { condition: { urlPattern: { pathname: string } }; source: 'network' }[]) => Promise<void>;
}

/**
 * Lets the browser send picks and streams straight to the server: otherwise each of them waits for
 * the worker, which may have to start first. The last report of a page that is left would be lost
 * while it waits. An engine without static routes asks the worker.
 */
export function routeDirectly(event: RoutingEvent): void {
  const rules = directPaths.map((pathname) => ({
    condition: { urlPattern: { pathname } },
    source: 'network' as const,
  }));
  const added = event.addRoutes?.(rules);
  // A browser that refuses the rules asks the worker, too.
  if (added) event.waitUntil(added.catch(() => {}));
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
    async (options) => {
      const renew = ({ headers }: Response, answer: Promise<Response>) => {
        const key = getCacheKeyForURL('/index.html') ?? '';
        options.event.waitUntil(renewPolicy(key, headers, answer).catch(() => {}));
      };
      if (asksForFirstVideos(options.url)) return addFirstVideos(() => index(options), renew);
      const stored = await index(options);
      renew(stored, askForPolicy());
      return stored;
    },
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
