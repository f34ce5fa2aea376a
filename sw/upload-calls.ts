import { completeUpload } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { WorkerMessage } from '#device/messages.ts';
import { after } from '#device/timers.ts';
import { finishBatches } from '#device/uploads/finish-batches.ts';
import type { UploadStore } from '#device/uploads/upload-store.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/** The time limit of the requests: the longest time that the server takes to inspect files. */
const answerWithinMs = (completeUpload.facts?.deadlineSeconds ?? limits.callTimeoutSeconds) * 1000;

/** The event of Background Sync (Chromium 49), which is missing in the library's types. */
interface SyncEvent extends ExtendableEvent {
  tag: string;
}

export function isUploadsSync(event: Event): event is SyncEvent {
  return (event as SyncEvent).tag === uploadsSyncTag;
}

/**
 * Reports completed and cancelled batches to the server, even without an open page. No user's token
 * is needed.
 * @throws when some are left: the browser tries again later
 */
export async function finishUploads(store: UploadStore = uploadStore): Promise<void> {
  const isDone = await finishBatches(store, send);
  await notifyPages({ type: 'UPLOADS_CHANGED' });
  if (!isDone) throw new Error('The server could not be told of all uploads');
}

function send(address: string, options: RequestInit): Promise<Response> {
  const limit = new AbortController();
  after(answerWithinMs, () => limit.abort());
  return fetch(address, { ...options, signal: limit.signal });
}

declare const self: ServiceWorkerGlobalScope;

async function notifyPages(message: WorkerMessage): Promise<void> {
  for (const page of await self.clients.matchAll()) page.postMessage(message);
}

/**
 * The tag of Background Sync, in browsers that have it: `FINISH_UPLOADS` as soon as there is a
 * network, without any page.
 */
const uploadsSyncTag = 'uploads';
