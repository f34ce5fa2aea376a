import '#device/supply-polyfills.ts';
import type { PrecacheEntry } from 'workbox-precaching';
import { isUpdateAccepted } from '#device/messages.ts';
import { serveAppShell } from './app-shell.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: Array<PrecacheEntry | string> };

serveAppShell(self.__WB_MANIFEST);

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('message', (event) => {
  if (isUpdateAccepted(event.data)) void self.skipWaiting();
});
