import type { WorkerMessage } from '#device/messages.ts';

declare const self: ServiceWorkerGlobalScope;

export async function notifyPages(message: WorkerMessage): Promise<void> {
  for (const page of await self.clients.matchAll()) page.postMessage(message);
}
