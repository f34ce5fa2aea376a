import type { TagLabel } from '#contract/entities/tag.ts';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import type { RandomBelow } from '../../ids.ts';
import { readBlockedTagIds } from '../users/user-repository.ts';
import { findPoster } from '../videos/poster-repository.ts';
import type { Video } from '../videos/video.ts';
import { findVideoNumbers } from '../videos/video-repository.ts';
import { findActiveTagNumbers } from './feed-repository.ts';
import { findOneUnplayable } from './find-unplayable.ts';
import { createLastKnown, createOutage } from './last-known.ts';
import type { VideoRow } from './recent-rows.ts';
import { createRecentRows } from './recent-rows.ts';

export interface PickParts {
  database: Database;
  idSets: IdSets;
  revisions: Pick<Revisions, 'current'>;
  clock: Clock;
  randomBelow: RandomBelow;
}

export interface PickWish {
  tagIds: readonly string[];
  blockedTagIds: readonly string[];
  mode: FilterMode;
  /** Ids that are avoided unless nothing else is left. */
  exclude: readonly string[];
  /** Whose stored blocklist counts too; null: nobody's. */
  userId: string | null;
}

export type PickOutcome =
  /** `poster` names it by its content; null without one. */
  | { kind: 'picked'; video: Video; tags: TagLabel[]; poster: string | null; matching: number }
  /** Videos match, and none of them can be played. `reason` is a key of `media/unplayable.ts`. */
  | { kind: 'unavailable'; reason: string | null }
  | { kind: 'none' };

/** Draws one of the available videos that match, each as likely as the other; while the database does not answer, one of those that were drawn last. */
export type DrawVideo = (wish: PickWish) => Promise<PickOutcome>;

type Drawn = VideoRow & { matching: number };

const mostTries = 3;
const mostKept = { people: 2_000, tagLists: 500, posters: 2_000 };

export function createDraw({ database, idSets, revisions, clock, randomBelow }: PickParts): DrawVideo {
  const { reader } = database;
  const outage = createOutage(clock);
  const rows = createRecentRows(reader, async () => `${idSets.revision()} ${await revisions.current()}`);
  const blocklists = createLastKnown<string[]>(outage, mostKept.people);
  const tagLists = createLastKnown<number[]>(outage, mostKept.tagLists);
  const posters = createLastKnown<string | null>(outage, mostKept.posters);

  const findTags = (ids: readonly string[]) => (ids.length === 0 ? [] : tagLists.read(ids.join(), () => findActiveTagNumbers(reader, ids)));
  const findBlocklist = (userId: string | null) => (userId === null ? [] : blocklists.read(userId, () => readBlockedTagIds(reader, userId)));

  /** Ids that no longer exist match nothing: OR leaves them out, AND cannot be met. Null when nothing can match. */
  async function toSelection({ tagIds, blockedTagIds, mode, userId }: PickWish): Promise<TagSelection | null> {
    const tags = await findTags(tagIds);
    const isImpossible = mode === 'AND' ? tags.length < tagIds.length : tags.length === 0 && tagIds.length > 0;
    if (isImpossible) return null;
    const blocked = new Set([...blockedTagIds, ...(await findBlocklist(userId))]);
    return { tags, mode, blocked: await findTags([...blocked]) };
  }

  /** What is not known cannot be avoided while the database does not answer. */
  async function toNumbers(ids: readonly string[]): Promise<number[]> {
    const { numbers, unknown } = rows.numbersOf(ids);
    if (unknown.length === 0 || outage.isOn) return numbers;
    try {
      return [...numbers, ...(await findVideoNumbers(reader, unknown))];
    } catch (error) {
      outage.note(error);
      return numbers;
    }
  }

  /** The row has the last word: another node may have taken the video away within this second. */
  async function draw(selection: TagSelection, exclude: readonly number[]): Promise<Drawn | null> {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const pick = idSets.pick(selection, exclude);
      if (pick === null) return null;
      const row = await rows.find(pick.number);
      if (row !== null) return { video: row.video, tags: row.tags, matching: pick.matching };
      await idSets.follow();
    }
    return null;
  }

  function drawKnown(selection: TagSelection, exclude: readonly number[]): Drawn | null {
    const matching = rows.known().filter(({ video }) => idSets.matches(selection, video.number));
    const left = matching.filter(({ video }) => !exclude.includes(video.number));
    const pool = left.length > 0 ? left : matching;
    const row = pool.length === 0 ? undefined : pool[randomBelow(pool.length)];
    return row === undefined ? null : { video: row.video, tags: row.tags, matching: idSets.count(selection) };
  }

  async function drawOrRecall(selection: TagSelection, exclude: readonly number[]): Promise<Drawn | null> {
    const recalled = outage.isOn ? drawKnown(selection, exclude) : null;
    if (recalled !== null) return recalled;
    try {
      return await draw(selection, exclude);
    } catch (error) {
      outage.note(error);
      const known = drawKnown(selection, exclude);
      if (known === null) throw error;
      return known;
    }
  }

  /** A video without its still is better than none. */
  async function findPosterOf(video: Video): Promise<string | null> {
    try {
      return await posters.read(String(video.number), () => findPoster(reader, video));
    } catch (error) {
      outage.note(error);
      return null;
    }
  }

  return async (wish) => {
    const selection = await toSelection(wish);
    if (selection === null) return { kind: 'none' };
    const drawn = await drawOrRecall(selection, await toNumbers(wish.exclude));
    if (drawn === null) return explainNone(database, idSets, selection);
    return { kind: 'picked', ...drawn, poster: await findPosterOf(drawn.video) };
  };
}

async function explainNone({ reader }: Database, idSets: IdSets, selection: TagSelection): Promise<PickOutcome> {
  const unplayable = await findOneUnplayable(reader, idSets, selection);
  return unplayable === undefined ? { kind: 'none' } : { kind: 'unavailable', reason: unplayable.reason };
}
