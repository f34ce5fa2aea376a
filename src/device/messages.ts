/**
 * What the page tells the worker: that its viewer accepted the waiting version (the name is the one that
 * workbox-window sends), and that batches of files are to be ended with the server, as the page may be closed.
 */
type PageMessage = { type: 'SKIP_WAITING' } | { type: 'FINISH_UPLOADS' };

/** What the worker tells the pages: that it has changed what is stored of uploads. */
export type WorkerMessage = { type: 'UPLOADS_CHANGED' };

export function isMessage<Type extends (PageMessage | WorkerMessage)['type']>(
  data: unknown,
  type: Type,
): data is { type: Type } {
  return typeof data === 'object' && data !== null && (data as { type?: unknown }).type === type;
}

/** Background Sync, where the browser has it: `FINISH_UPLOADS` as soon as there is a network, without any page. */
export const uploadsSyncTag = 'uploads';

/** In the request for a list: the viewer's mark. Without it the server alone answers. */
export const markHeader = 'X-Viewer-Mark';

/** In an answer out of the cache: when the server gave it, in epoch milliseconds. */
export const cachedAtHeader = 'X-Cached-At';
