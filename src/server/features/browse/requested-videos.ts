import type { FilterMode } from '#contract/rules/tags/tag-filter.ts';
import type { Database } from '../../database/connection.ts';
import type { TagSelection } from '../../id-sets/picking/tag-selection.ts';
import type { TagsByName } from '../tags/tag-catalogue.ts';
import { readBlockedTagIds } from '../users/user-repository.ts';

/** Which videos somebody asks for. */
export interface RequestedVideos {
  tagIds: readonly string[];
  blockedTagIds: readonly string[];
  mode: FilterMode;
  /** Whose stored blocklist counts too; null: nobody's. */
  userId: string | null;
}

/**
 * Ids that no longer exist match nothing: OR leaves them out, AND cannot be met. Null when nothing can match. Several
 * may mean one tag, after a merge.
 */
export async function toSelection(
  { reader }: Pick<Database, 'reader'>,
  tags: TagsByName,
  { tagIds, blockedTagIds, mode, userId }: RequestedVideos,
): Promise<TagSelection | null> {
  const chosen = numbersOf(tags, tagIds);
  const isImpossible = mode === 'AND' ? chosen.length < tagIds.length : chosen.length === 0 && tagIds.length > 0;
  if (isImpossible) return null;
  const stored = userId === null ? [] : await readBlockedTagIds(reader, userId);
  const blocked = numbersOf(tags, [...blockedTagIds, ...stored]);
  return { tags: [...new Set(chosen)], mode, blocked: [...new Set(blocked)] };
}

function numbersOf({ byId }: TagsByName, ids: readonly string[]): number[] {
  return [...new Set(ids)].flatMap((id) => byId.get(id)?.number ?? []);
}
