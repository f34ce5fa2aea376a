import type { TagLabel } from '#contract/entities/tag.ts';

/** What changes of one video's tags. */
export interface TagEdit {
  /** The video's. */
  id: string;
  path: string;
  added: readonly TagLabel[];
  removed: readonly TagLabel[];
}

interface Tagged {
  readonly video: { readonly id: string; readonly path: string };
  readonly tags: readonly TagLabel[];
}

/** Applied to tags that have it already, it changes nothing. */
export function applyEdit(tags: readonly TagLabel[], { added, removed }: TagEdit): TagLabel[] {
  const kept = tags.filter((tag) => !has(removed, tag));
  return [...kept, ...added.filter((tag) => !has(kept, tag))];
}

/** Each video gets the tags that it lacks; one that has them all is left out. */
export function planAddition(items: readonly Tagged[], labels: readonly TagLabel[]): TagEdit[] {
  return items
    .map(({ video: { id, path }, tags }) => ({ id, path, added: labels.filter((one) => !has(tags, one)), removed: [] }))
    .filter(({ added }) => added.length > 0);
}

/** Each video loses the tags that it has; one that has none of them is left out. */
export function planRemoval(items: readonly Tagged[], labels: readonly TagLabel[]): TagEdit[] {
  return items
    .map(({ video: { id, path }, tags }) => ({ id, path, added: [], removed: labels.filter((one) => has(tags, one)) }))
    .filter(({ removed }) => removed.length > 0);
}

export function invertEdit({ added, removed, ...video }: TagEdit): TagEdit {
  return { ...video, added: removed, removed: added };
}

export function has(tags: readonly { readonly id: string }[], { id }: { readonly id: string }): boolean {
  return tags.some((tag) => tag.id === id);
}
