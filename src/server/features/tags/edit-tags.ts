import type { z } from 'zod';
import type { TagReply, tagAliasesUpdateSchema, tagCreationSchema, tagUpdateSchema } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import { audienceRanks, checkAliases } from '#contract/rules/tag.ts';
import { rebaseList } from '#contract/rules/text.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { Invalid, NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { Ids } from '../../ids.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { activityRepository } from '../activity/activity-repository.ts';
import { recordChange } from './changes/change-jobs.ts';
import { folderLinks } from './folder-links.ts';
import { mergedTagRepository } from './merged-tag-repository.ts';
import type { TagCatalogue } from './tag-catalogue.ts';
import { toTagReply } from './tag-catalogue.ts';
import { toAlignmentJob } from './tag-removal.ts';
import type { StoredTag } from './tag-repository.ts';
import { tagNameKey, tagRepository } from './tag-repository.ts';
import type { WriteTags } from './write-tags.ts';
import { claimTagName, onlyAdministrators, refuseMerging, refuseTakenName, requireEditable } from './write-tags.ts';

export interface TagEditDeps {
  database: Database;
  idSets: IdSets;
  clock: Clock;
  ids: Ids;
  tagCatalogue: TagCatalogue;
  writeTags: WriteTags;
}

type Creation = z.output<typeof tagCreationSchema>;

type Update = z.output<typeof tagUpdateSchema>;

type Aliases = z.output<typeof tagAliasesUpdateSchema>;

/** The person who edits tags. */
export interface TagEditor {
  userId: string;
  /** Only administrators change restricted tags. */
  rank: number;
}

/** Edits of tags by people. */
export const tagEdits = {
  /** @throws Refusal 409 for a name that is taken, or when the site has too many tags */
  async create(deps: TagEditDeps, creation: Creation, actorId: string): Promise<TagReply> {
    const number = await deps.writeTags(async (transaction) => {
      await tagEdits.requireRoom(transaction, 1);
      const created_by = await activityRepository.findUsername(transaction, actorId);
      return tagEdits.createWithin(transaction, deps, { ...creation, created_by });
    });
    return readTagReply(deps, number);
  },

  /**
   * Creates a tag in a transaction of `writeTags`, which has to ensure that there is room.
   * @returns its number
   * @throws Refusal 409 for a name that is taken
   */
  async createWithin(
    transaction: Executor,
    { clock, ids }: Pick<TagEditDeps, 'clock' | 'ids'>,
    creation: Creation & { created_by?: string | null },
  ): Promise<number> {
    await claimTagName(transaction, creation.name, { tag: null });
    return tagRepository.insert(transaction, {
      id: ids.short(),
      ...creation,
      name_key: tagNameKey(creation.name),
      active: 1,
      created_at: clock.now(),
    });
  },

  /**
   * Removed tags count while they are on videos, because they can be restored.
   * @throws Refusal 409 when the site would have too many
   */
  async requireRoom(executor: Executor, added: number): Promise<void> {
    if (await tagRepository.hasTags(executor, limits.siteTags - added + 1))
      throw new Refusal('conflict', { message: `A site can have at most ${limits.siteTags} channels.` });
  },

  /**
   * Changes a tag. Absent fields stay as they are.
   * @throws NotFound
   * @throws Refusal 403 for what only administrators may change
   * @throws Refusal 409 for a name that is taken
   */
  async change(deps: TagEditDeps, id: string, update: Update, { userId: actorId, rank }: TagEditor): Promise<TagReply> {
    if (update.audience !== undefined && rank < audienceRanks.admin) throw onlyAdministrators();
    const number = await deps.writeTags(async (transaction) => {
      const tag = await tagEdits.readActive(transaction, id, rank);
      if (update.name !== undefined && update.name !== tag.name)
        await claimTagName(transaction, update.name, { tag: tag.number });
      const { name = tag.name, description = tag.description, color = tag.color, audience = tag.audience } = update;
      const facts = { name, name_key: tagNameKey(name), description, color, audience };
      await tagRepository.setFacts(transaction, tag.number, facts);
      await tagRepository.setEditor(
        transaction,
        tag.number,
        await activityRepository.findUsername(transaction, actorId),
      );
      await folderLinks.claimName(transaction, tag.number);
      return tag.number;
    });
    return readTagReply(deps, number);
  },

  /**
   * Replaces all aliases of a tag, or changes those that differ from the known ones.
   * @throws NotFound
   * @throws Invalid when it would have too many with those that others have added
   * @throws Refusal 409 for a name in use
   */
  async changeAliases(deps: TagEditDeps, id: string, update: Aliases, by: string): Promise<TagReply> {
    const number = await deps.writeTags(async (transaction) => {
      const tag = await tagEdits.readActive(transaction, id);
      const numbers = await mergedTagRepository.listMergedInto(transaction, tag.number);
      const stored = await mergedTagRepository.listAliases(transaction, numbers);
      const aliases = rebaseList(
        stored.map(({ name }) => name),
        update.aliases,
        update.known,
      );
      const problem = checkAliases(aliases);
      if (problem !== null) throw new Invalid([{ field: 'aliases', message: problem }]);
      const wanted = new Map(aliases.map((name) => [tagNameKey(name), name]));
      wanted.delete(tag.nameKey);
      for (const name of wanted.values()) await refuseTakenName(transaction, name, { tag: tag.number });
      for (const alias of stored) {
        // An unchanged alias keeps its origin, because undoing a merge takes back the names that
        // the merge brought.
        if (!wanted.has(alias.nameKey)) await mergedTagRepository.deleteAlias(transaction, alias.nameKey);
        else if (wanted.get(alias.nameKey) === alias.name) wanted.delete(alias.nameKey);
      }
      for (const [nameKey, name] of wanted)
        await mergedTagRepository.putAlias(transaction, { nameKey, name, tagNumber: tag.number }, deps.clock.now());
      await tagRepository.setEditor(transaction, tag.number, await activityRepository.findUsername(transaction, by));
      return tag.number;
    });
    return readTagReply(deps, number);
  },

  /**
   * @param rank that of the editor; absent: that of administrators
   * @throws NotFound, Refusal 403 as `requireEditable` does
   */
  async readActive(executor: Executor, id: string, rank: number = audienceRanks.admin): Promise<StoredTag> {
    const tag = await tagRepository.find(executor, id);
    if (!tag?.isActive) throw new NotFound('tag');
    requireEditable(tag.audience, rank);
    return tag;
  },

  /**
   * Removes a tag for everybody at once. It can be restored for a while. A background job
   * determines which videos become untagged.
   * @throws NotFound
   * @throws Refusal 409 while it is being merged
   */
  async delete(
    deps: TagEditDeps & { jobs: JobQueue },
    id: string,
    { userId: actorId, rank }: TagEditor,
  ): Promise<void> {
    const { clock, ids, idSets, jobs } = deps;
    await deps.writeTags(async (transaction) => {
      const tag = await tagEdits.readActive(transaction, id, rank);
      await refuseMerging(transaction, tag);
      await tagRepository.setActive(transaction, tag.number, 0);
      await folderLinks.markChannelRemoved(transaction, tag.number, 1);
      await recordActivity(transaction, { actorId, kind: 'tag_removed', subject: tag.name }, clock.now());
      await recordChange(transaction, deps, {
        kind: 'removal',
        subject: tag.name,
        actorId,
        tags: [tag.number],
        links: idSets.countOnTag(tag.number),
        state: 'done',
      });
      await jobs.addWithin(transaction, [toAlignmentJob(ids, tag.number)]);
    });
    jobs.wake();
  },
};

/**
 * The current data of an active tag.
 * @throws NotFound
 */
async function readTagReply({ tagCatalogue, idSets }: TagEditDeps, number: number): Promise<TagReply> {
  const tag = (await tagCatalogue.read()).byNumber.get(number);
  if (tag === undefined) throw new NotFound('tag');
  return { tag: toTagReply(tag, idSets.countOnTag(number)) };
}
