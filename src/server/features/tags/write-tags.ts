import type { TagAudience } from '#contract/rules/tag.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env } from '../../env.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { Caller, SignedIn } from '../../http/pipeline/guards.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { WriteWithSets } from '../../id-sets/write-slices.ts';
import { mergedTagRepository } from './merged-tag-repository.ts';
import type { StoredTag } from './tag-repository.ts';
import { tagNameKey, tagRepository } from './tag-repository.ts';

interface WriteTagsDeps {
  database: Pick<Database, 'dialect'>;
  idSets: Pick<IdSets, 'write'>;
  revisions: Pick<Revisions, 'forget'>;
}

/**
 * Runs a transaction that changes tags or their links, one at a time over all processes: what it
 * reads of them stays true until it ends. Clients then reload their lists.
 * @param beside for links of one video: see `WriteWithSets`
 * @throws Refusal 409 for a name that was taken
 */
export type WriteTags = WriteWithSets;

export function createWriteTags({ database, idSets, revisions }: WriteTagsDeps): WriteTags {
  return async (work, beside) => {
    try {
      return await idSets.write((transaction, changes) => {
        changes.revisions.add('tags');
        return work(transaction, changes);
      }, beside);
    } catch (error) {
      // A scan that adds channels writes them without holding the log.
      if (database.dialect.isConflict(error)) throw new Refusal('conflict');
      throw error;
    } finally {
      revisions.forget();
    }
  };
}

/**
 * The user, if allowed to edit tags and their links.
 * @throws Refusal 401, and 403 where only administrators may
 */
export function tagEditor({ tagEditing }: Pick<Env, 'tagEditing'>, caller: Caller): SignedIn {
  const user = signedIn(caller);
  if (tagEditing === 'admins' && !user.isAdmin) throw new Refusal('forbidden');
  return user;
}

/**
 * Resolves the tags that a person puts on videos or removes from them.
 * @throws NotFound unless the person sees them all
 * @throws Refusal 403 for a restricted tag, unless the person is an administrator
 */
export async function requireTags(executor: Executor, ids: readonly string[], rank: number): Promise<number[]> {
  const numbers = await mergedTagRepository.resolveIds(executor, ids);
  if (numbers.length < new Set(ids).size) throw new NotFound('tag');
  const tags = await tagRepository.listByNumber(executor, numbers);
  for (const { audience } of tags) requireEditable(audience, rank);
  return numbers;
}

/**
 * Only administrators change restricted tags.
 * @throws NotFound for a tag that the person does not see, Refusal 403 for one that they do
 */
export function requireEditable(audience: TagAudience, rank: number): void {
  if (audienceRanks[audience] > rank) throw new NotFound('tag');
  if (audience !== 'anyone' && rank < audienceRanks.admin) throw onlyAdministrators();
}

export function onlyAdministrators(): Refusal {
  return new Refusal('forbidden', { message: 'Only administrators can change what is only for some.' });
}

/** The tags that may already own a name, by number. */
interface NameOwners {
  /** The tag that is to get the name; null: a new one. */
  tag: number | null;
  /** The active tag that may have the name as an alias. If absent: the same tag. */
  aliasOf?: number | null;
}

/**
 * Reserves a name for an active tag: no other tag has it as its name or an alias. An equal alias of
 * the tag itself, or of a tag that no longer exists, is deleted. The transaction holds the log, so
 * nobody can take the name meanwhile.
 * @throws Refusal 409 that names the owner
 */
export async function claimTagName(executor: Executor, name: string, owners: NameOwners): Promise<void> {
  await refuseTakenName(executor, name, owners);
  await mergedTagRepository.deleteAlias(executor, tagNameKey(name));
}

/** @throws Refusal 409 that names the owner */
export async function refuseTakenName(
  executor: Executor,
  name: string,
  { tag, aliasOf = tag }: NameOwners,
): Promise<void> {
  const named = await tagRepository.findActive(executor, name);
  if (named !== null && named.number !== tag)
    throw new Refusal('conflict', { message: `There is one called ${named.name} already.` });
  const alias = await mergedTagRepository.findAlias(executor, tagNameKey(name));
  const owner = alias === null ? null : await mergedTagRepository.findSurvivor(executor, alias.tagNumber);
  if (alias === null || owner === null || owner === aliasOf) return;
  const channel = await tagRepository.findByNumber(executor, owner);
  // The name of a restricted tag is not for everybody.
  const message =
    channel?.audience === 'anyone'
      ? `${alias.name} is another name of ${channel.name}.`
      : `There is one called ${alias.name} already.`;
  throw new Refusal('conflict', { message });
}

/**
 * Refuses actions on a tag while links are being copied or removed.
 * @throws Refusal 409
 */
export async function refuseMerging(executor: Executor, tag: StoredTag): Promise<void> {
  if (await mergedTagRepository.isMerging(executor, tag.number))
    throw new Refusal('conflict', { message: `${tag.name} is being merged. Please try again later.` });
}
