import { now } from '#app/platform/timers.ts';
import { countText } from '#app/ui/count-text.ts';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import type { TagChangeKind } from '#contract/rules/tag.ts';
import type { Part } from '../sentence.tsx';

type Words = (subject: Part, detail: Part) => readonly Part[];

/** What was done. */
const doneWords: { readonly [Kind in TagChangeKind]: Words } = {
  removal: (subject) => ['Removed ', subject],
  merge: (subject, detail) => ['Merged ', subject, ' into ', detail],
  import: (subject) => ['Imported ', subject],
  person: (subject) => ['Undid what ', subject, ' did'],
  sidecars: () => ['Read tags from sidecar files'],
};

/** What goes on, or did not come to its end. */
const openWords: { readonly [Kind in TagChangeKind]: Words } = {
  removal: (subject) => ['Removing ', subject],
  merge: (subject, detail) => ['Merging ', subject, ' into ', detail],
  import: (subject) => ['Importing ', subject],
  person: (subject) => ['Undoing what ', subject, ' did'],
  sidecars: () => ['Reading tags from sidecar files'],
};

/** 'Merged Alps into Mountains', in parts. */
export function changeSentence({ kind, state, subject, detail }: TagChangeRecord): readonly Part[] {
  const words = state === 'running' || state === 'failed' ? openWords : doneWords;
  return words[kind]({ name: subject }, { name: detail ?? 'another channel' });
}

export function changeText(change: TagChangeRecord): string {
  return changeSentence(change)
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('');
}

/** '1 channel, 3,400 assignments'. */
export function extentText({ kind, tags, links }: Pick<TagChangeRecord, 'kind' | 'tags' | 'links'>): string {
  if (kind === 'person') return `${countText(tags, 'channel')} removed, ${countText(links, 'change')} undone`;
  return `${countText(tags, 'channel')}, ${countText(links, 'assignment')}`;
}

/** What has come to its end needs no badge. */
export const stateBadges: { readonly [State in TagChangeRecord['state']]: string | null } = {
  running: 'Running',
  undoing: 'Undoing',
  failed: 'Failed',
  undone: 'Undone',
  done: null,
};

export function isUnderWay({ state }: Pick<TagChangeRecord, 'state'>): boolean {
  return state === 'running' || state === 'undoing';
}

/** What failed takes back what it did before it failed. */
export function isUndoable({
  kind,
  state,
  expires_at,
}: Pick<TagChangeRecord, 'kind' | 'state' | 'expires_at'>): boolean {
  return kind !== 'person' && (state === 'done' || state === 'failed') && Date.parse(expires_at) > now();
}
