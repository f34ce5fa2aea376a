import type { PrecacheEntry } from 'workbox-precaching';
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';

/** Addresses that the server answers itself, also when someone opens them in a window. */
const serverPaths = [/^\/api\//, /^\/auth\//, /^\/users\//, /^\/(whats-new|eula)\.md$/, /^\/(healthz|readyz|metrics)$/];

/** Whether opening this address means opening the app. Video bytes are below `/api/` and never are. */
export function isShellNavigation(url: URL): boolean {
  return !serverPaths.some((path) => path.test(url.pathname));
}

/**
 * Keeps every file of the app and answers for them: each by its own name, and any view's address by `index.html`.
 * Requests for anything else, all with a Range among them, go past the worker untouched.
 */
export function serveAppShell(files: Array<PrecacheEntry | string>): void {
  cleanupOutdatedCaches();
  precacheAndRoute(files);
  const index = createHandlerBoundToURL('/index.html');
  registerRoute(({ request, url }) => request.mode === 'navigate' && isShellNavigation(url), index);
}
