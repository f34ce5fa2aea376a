import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { Video } from '../videos/video.ts';
import { findVideoByNumber, findVideoNumbers } from '../videos/video-repository.ts';
import { findActiveTagNumbers } from './feed-repository.ts';
import { findOneUnplayable } from './find-unplayable.ts';

const mostTries = 3;

export interface PickWish {
  tagIds: readonly string[];
  blockedTagIds: readonly string[];
  mode: FilterMode;
  /** Ids that are avoided unless nothing else is left. */
  exclude: readonly string[];
}

export type Pick =
  | { kind: 'picked'; video: Video; matching: number }
  /** Videos match, and none of them can be played. `reason` is a key of `media/unplayable.ts`. */
  | { kind: 'unavailable'; reason: string | null }
  | { kind: 'none' };

/** Draws one of the available videos that match, each as likely as the other. */
export async function pickVideo(database: Database, idSets: IdSets, wish: PickWish): Promise<Pick> {
  const executor = database.reader;
  const selection = await toSelection(executor, wish);
  if (selection === null) return { kind: 'none' };
  const picked = await draw(executor, idSets, selection, await findVideoNumbers(executor, wish.exclude));
  return picked ?? explainNone(executor, idSets, selection);
}

/** Ids that no longer exist match nothing: OR leaves them out, AND cannot be met. Null when nothing can match. */
async function toSelection(executor: Executor, { tagIds, blockedTagIds, mode }: PickWish): Promise<TagSelection | null> {
  const tags = await findActiveTagNumbers(executor, tagIds);
  const isImpossible = mode === 'AND' ? tags.length < tagIds.length : tags.length === 0 && tagIds.length > 0;
  return isImpossible ? null : { tags, mode, blocked: await findActiveTagNumbers(executor, blockedTagIds) };
}

/** The row has the last word: another node may have taken the video away within this second. */
async function draw(executor: Executor, idSets: IdSets, selection: TagSelection, exclude: readonly number[]): Promise<Pick | null> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const pick = idSets.pick(selection, exclude);
    if (pick === null) return null;
    const video = await findVideoByNumber(executor, pick.number);
    if (video?.isAvailable) return { kind: 'picked', video, matching: pick.matching };
    await idSets.follow();
  }
  return null;
}

async function explainNone(executor: Executor, idSets: IdSets, selection: TagSelection): Promise<Pick> {
  const unplayable = await findOneUnplayable(executor, idSets, selection);
  return unplayable === undefined ? { kind: 'none' } : { kind: 'unavailable', reason: unplayable.reason };
}
