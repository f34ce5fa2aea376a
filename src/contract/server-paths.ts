import { readEula, readHealth, readMetrics, readReadiness, readWhatsNew } from './endpoints.ts';

/**
 * The server answers every path below these folders, never the app, whether such a call exists or
 * not.
 */
export const callFolders = ['/api/', '/auth/', '/users/'] as const;

/** The calls outside these folders. */
export const callFiles: readonly string[] = [readWhatsNew, readEula, readHealth, readReadiness, readMetrics].map(
  ({ path }) => path,
);

/**
 * The path to which other apps send files that are shared into this one: the service worker
 * receives them, or the server when there is none.
 */
export const shareAction = '/share';

/** Whether the server answers this path itself, even when it is opened in a window. */
export function isServerPath(path: string): boolean {
  return isBelowCallFolder(path) || callFiles.includes(path);
}

/** @param url a path, with or without a query */
export function isBelowCallFolder(url: string): boolean {
  return callFolders.some((folder) => url.startsWith(folder));
}
