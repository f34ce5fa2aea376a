/** Nothing was changed: a sentence for whoever wants to restore. */
export class RestoreRefused extends Error {}
