/**
 * What the server of a bench is told by a message: to open sessions for files of these sizes, or to say what its event
 * loop and its memory went through since it was told to watch them.
 */
export type SiteOrder = { open: readonly number[] } | 'watch' | 'report' | 'write';
