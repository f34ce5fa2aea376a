import '#device/supply-polyfills.ts';
import type { PrecacheEntry } from 'workbox-precaching';
import { isMessage } from '#device/messages.ts';
import { routeDirectly, serveAppShell } from './app-shell.ts';
import { finishUploads, isUploadsSync } from './upload-calls.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: Array<PrecacheEntry | string> };

serveAppShell(self.__WB_MANIFEST);

self.addEventListener('install', routeDirectly);

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  if (isMessage(event.data, 'SKIP_WAITING')) void self.skipWaiting();
  // Batches that are not finished wait for the next page, or for the sync below.
  if (isMessage(event.data, 'FINISH_UPLOADS')) event.waitUntil(finishUploads().catch(() => {}));
});

self.addEventListener('sync', (event) => {
  if (isUploadsSync(event)) event.waitUntil(finishUploads());
});
