import type { BackupState } from '#contract/entities/site/about.ts';

/** Of a site that makes no backups by itself. @param leftOut folders whose bytes no archive contains */
export function noBackups(leftOut: readonly string[]): BackupState {
  return { folder: null, next_at: null, latest: null, failure: null, left_out: [...leftOut] };
}
