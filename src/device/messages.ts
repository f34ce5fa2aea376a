/** What the page tells the worker. The name is the one that workbox-window sends. */
export type PageMessage = { type: 'SKIP_WAITING' };

/** Whether the page says that its viewer accepted the waiting version. */
export function isUpdateAccepted(data: unknown): data is PageMessage {
  return typeof data === 'object' && data !== null && (data as { type?: unknown }).type === 'SKIP_WAITING';
}
