/**
 * The messages from page to worker: the viewer has accepted the waiting version (the name is the
 * one that workbox-window sends), and batches of files are to be completed or cancelled on the
 * server, as the page may be closed.
 */
type PageMessage = { type: 'SKIP_WAITING' } | { type: 'FINISH_UPLOADS' };

/** The message from worker to pages: stored uploads have changed. */
export type WorkerMessage = { type: 'UPLOADS_CHANGED' };

export function isMessage<Type extends (PageMessage | WorkerMessage)['type']>(
  data: unknown,
  type: Type,
): data is { type: Type } {
  return typeof data === 'object' && data !== null && (data as { type?: unknown }).type === type;
}

/** The request header of a list with the viewer's mark. Without it only the server answers. */
export const markHeader = 'X-Viewer-Mark';

/**
 * The response header of a cached answer: the time of the server's answer in epoch milliseconds.
 */
export const cachedAtHeader = 'X-Cached-At';
