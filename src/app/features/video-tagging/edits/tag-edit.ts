import type { TagLabel, VideoTag } from '#contract/entities/tag.ts';

/** What changes of one video's tags. One that is in both lists stays, and is somebody's from then on, or the folder's. */
export interface TagEdit {
  /** The video's. */
  id: string;
  path: string;
  added: readonly VideoTag[];
  removed: readonly VideoTag[];
}

interface Tagged {
  readonly video: { readonly id: string; readonly path: string };
  readonly tags: readonly VideoTag[];
}

/** Applied to tags that have it already, it changes nothing. */
export function applyEdit(tags: readonly VideoTag[], { added, removed }: TagEdit): VideoTag[] {
  const kept = tags.filter((tag) => has(added, tag) || !has(removed, tag));
  const changed = kept.map((tag) => (has(removed, tag) ? (find(added, tag) ?? tag) : tag));
  return [...changed, ...added.filter((tag) => !has(kept, tag))];
}

/**
 * Each video gets the tags that nobody has put on it yet: one that its folder gave becomes theirs. One that has them
 * all is left out.
 */
export function planAddition(items: readonly Tagged[], labels: readonly TagLabel[]): TagEdit[] {
  return items
    .map(({ video: { id, path }, tags }) => {
      const added = labels.filter((label) => !isPutBySomebody(tags, label));
      return { id, path, added, removed: tags.filter((tag) => has(added, tag)) };
    })
    .filter(({ added }) => added.length > 0);
}

/** Each video loses the tags that it has; one that has none of them is left out. */
export function planRemoval(items: readonly Tagged[], labels: readonly TagLabel[]): TagEdit[] {
  return items
    .map(({ video: { id, path }, tags }) => ({ id, path, added: [], removed: tags.filter((tag) => has(labels, tag)) }))
    .filter(({ removed }) => removed.length > 0);
}

export function invertEdit({ added, removed, ...video }: TagEdit): TagEdit {
  return { ...video, added: removed, removed: added };
}

export function has(tags: readonly { readonly id: string }[], { id }: { readonly id: string }): boolean {
  return tags.some((tag) => tag.id === id);
}

/** Whether a tag is there, and not only because the folder gave it. */
export function isPutBySomebody(
  tags: readonly Pick<VideoTag, 'id' | 'by_folder'>[],
  tag: { readonly id: string },
): boolean {
  const found = find(tags, tag);
  return found !== undefined && found.by_folder !== true;
}

function find<Tag extends { readonly id: string }>(
  tags: readonly Tag[],
  { id }: { readonly id: string },
): Tag | undefined {
  return tags.find((tag) => tag.id === id);
}
