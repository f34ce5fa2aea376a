import { proxy } from 'valtio/vanilla';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { setBatchTags } from '../upload-store.ts';

export const batchTags = proxy<{
  isOpen: boolean;
  /** Those of which the name is known; the batch itself knows ids. */
  known: TagLabel[];
}>({ isOpen: false, known: [] });

export function openBatchTags(): void {
  batchTags.isOpen = true;
}

export function closeBatchTags(): void {
  batchTags.isOpen = false;
}

/** Changes the batch at once: a file that is under way gets it, too. */
export function toggleBatchTag({ id, name, color }: Readonly<TagLabel>): void {
  const { tagIds } = uploads;
  const isChosen = tagIds.includes(id);
  if (!batchTags.known.some((tag) => tag.id === id)) batchTags.known.push({ id, name, color });
  void setBatchTags(isChosen ? tagIds.filter((one) => one !== id) : [...tagIds, id]);
}

/** 'Aurora, Cities and 2 more': names as far as they are known. */
export function namesOf(tagIds: readonly string[], known: readonly Readonly<TagLabel>[]): string {
  const names = tagIds.flatMap((id) => known.find((tag) => tag.id === id)?.name ?? []);
  const rest = tagIds.length - names.length;
  if (names.length === 0) return `${rest} chosen`;
  return rest === 0 ? names.join(', ') : `${names.join(', ')} and ${rest} more`;
}
