import { readEula, readHealth, readMetrics, readReadiness, readWhatsNew } from './endpoints.ts';

/** Everything below these is answered by the server, never by the app, whether there is such a call or not. */
export const callFolders = ['/api/', '/auth/', '/users/'] as const;

/** The calls that stand elsewhere. */
export const callFiles: readonly string[] = [readWhatsNew, readEula, readHealth, readReadiness, readMetrics].map(
  ({ path }) => path,
);

/** Where other apps send the files that are shared into this one: to the worker, or to the server where there is none. */
export const shareAction = '/share';

/** Whether the server answers this path itself, also when someone opens it in a window. */
export function isServerPath(path: string): boolean {
  return isBelowCallFolder(path) || callFiles.includes(path);
}

/** @param url a path, with or without a query */
export function isBelowCallFolder(url: string): boolean {
  return callFolders.some((folder) => url.startsWith(folder));
}
