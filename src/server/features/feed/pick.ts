import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { RandomBelow } from '../../ids.ts';
import type { Video } from '../videos/video.ts';
import type { TagSelection } from './feed-repository.ts';
import { availableAt, countAvailable, findActiveTagNumbers, findUnavailable } from './feed-repository.ts';

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
export async function pickVideo(database: Database, randomBelow: RandomBelow, wish: PickWish): Promise<Pick> {
  const executor = database.reader;
  const selection = await toSelection(executor, wish);
  if (selection === null) return { kind: 'none' };
  const matching = await countAvailable(executor, selection);
  if (matching === 0) return explainNone(executor, selection);
  const video = await draw(executor, randomBelow, selection, wish.exclude, matching);
  return video === null ? explainNone(executor, selection) : { kind: 'picked', video, matching };
}

/** Ids that no longer exist match nothing: OR leaves them out, AND cannot be met. Null when nothing can match. */
async function toSelection(executor: Executor, { tagIds, blockedTagIds, mode }: PickWish): Promise<TagSelection | null> {
  const tags = await findActiveTagNumbers(executor, tagIds);
  const isImpossible = mode === 'AND' ? tags.length < tagIds.length : tags.length === 0 && tagIds.length > 0;
  return isImpossible ? null : { tags, mode, blocked: await findActiveTagNumbers(executor, blockedTagIds) };
}

/** Null only when the library shrank while we looked. */
async function draw(
  executor: Executor,
  randomBelow: RandomBelow,
  selection: TagSelection,
  exclude: readonly string[],
  matching: number,
): Promise<Video | null> {
  const left = exclude.length === 0 ? matching : await countAvailable(executor, selection, exclude);
  if (left === 0) return availableAt(executor, selection, [], randomBelow(matching));
  return availableAt(executor, selection, exclude, randomBelow(left));
}

async function explainNone(executor: Executor, selection: TagSelection): Promise<Pick> {
  const unavailable = await findUnavailable(executor, selection);
  return unavailable === undefined ? { kind: 'none' } : { kind: 'unavailable', reason: unavailable.reason };
}
