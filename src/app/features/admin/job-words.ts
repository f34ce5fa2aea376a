import type { JobKindCounts } from '#contract/entities/library.ts';

/** Names of the job kinds. A kind of a newer server has none and is shown by its key. */
export const kindNames: ReadonlyMap<string, string> = new Map([
  ['scan', 'Library scan'],
  ['poster', 'Posters'],
  ['poster-clean-up', 'Clean-up of posters'],
  ['duplicates', 'Search for duplicates'],
  ['inspect', 'Looks inside videos'],
  ['subtitles', 'Subtitles'],
  ['encode', 'Encodings'],
  ['encode-audio', 'Encodings with another audio track'],
  ['encoding-clean-up', 'Clean-up of encodings'],
  ['tag-removal', 'Removal of channels'],
  ['tag-merge', 'Merging of channels'],
  ['tag-sidecars', 'Tags from sidecar files'],
  ['tag-change-links', 'Import of channels'],
  ['tag-undo', 'Undoing of changes to channels'],
  ['tag-person-undo', "Undoing of a person's changes"],
  ['tag-change-sweep', 'Clean-up of changes to channels'],
  ['tag-alignment', 'Count of untagged videos'],
  ['name-index', 'Index of names'],
  ['folder-channels', 'Channels from folders'],
  ['backup', 'Backups'],
]);

export function kindName(kind: string): string {
  return kindNames.get(kind) ?? kind;
}

/** The counts of a kind, such as '2 running, 10,000 waiting, 3 failed', or 'Nothing to do'. */
export function countsText({ running, queued, failed, done }: JobKindCounts): string {
  const parts = [
    { count: running, word: 'running' },
    { count: queued, word: 'waiting' },
    { count: failed, word: 'failed' },
  ].flatMap(({ count, word }) => (count > 0 ? `${count.toLocaleString()} ${word}` : []));
  if (parts.length > 0) return parts.join(', ');
  return done > 0 ? `Nothing to do, ${done.toLocaleString()} done` : 'Nothing to do';
}
