import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env } from '../../env.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { Caller, SignedIn } from '../../http/pipeline/guards.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import type { Revisions } from '../../http/pipeline/revision.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { deleteAlias, findAlias, findSurvivor, isMerging } from './merged-tag-repository.ts';
import type { Tag } from './tag-repository.ts';
import { findActiveTag, readTagByNumber, tagNameKey } from './tag-repository.ts';

interface WriteTagsDeps {
  database: Pick<Database, 'dialect'>;
  idSets: Pick<IdSets, 'write'>;
  revisions: Pick<Revisions, 'forget'>;
}

/**
 * One transaction that changes tags or what they are on, one after the other over all processes: what it reads of them
 * stays true until it ends. Clients ask again for what they list. @throws Refusal 409 for a name that was taken
 */
export type WriteTags = <Value>(work: (transaction: Executor, changes: SetChanges) => Promise<Value>) => Promise<Value>;

export function createWriteTags({ database, idSets, revisions }: WriteTagsDeps): WriteTags {
  return async (work) => {
    try {
      return await idSets.write(async (transaction, changes) => {
        const value = await work(transaction, changes);
        await bumpRevision(transaction, 'tags');
        return value;
      });
    } catch (error) {
      // A scan that brings channels along writes them without the log.
      if (database.dialect.isConflict(error)) throw new Refusal('conflict');
      throw error;
    } finally {
      revisions.forget();
    }
  };
}

/** Whoever changes tags, or what they are on. @throws Refusal 401, and 403 where only admins may */
export function tagEditor({ tagEditing }: Pick<Env, 'tagEditing'>, caller: Caller): SignedIn {
  const user = signedIn(caller);
  if (tagEditing === 'admins' && !user.isAdmin) throw new Refusal('forbidden');
  return user;
}

/** Whom a name may belong to already; by number. */
interface NameOwners {
  /** The tag that is to have it; null: one that is made only now. */
  tag: number | null;
  /** The active tag that may have it as an alias; without: the same. */
  aliasOf?: number | null;
}

/**
 * Makes room for a name of an active tag: no other has it, as its name or as an alias. An alias that says the same, of
 * the tag itself or of one that is gone, is none any more. The transaction holds the log, so that nobody takes the name
 * meanwhile.
 * @throws Refusal 409 with who has it
 */
export async function claimTagName(executor: Executor, name: string, owners: NameOwners): Promise<void> {
  await refuseTakenName(executor, name, owners);
  await deleteAlias(executor, tagNameKey(name));
}

/** @throws Refusal 409 with who has it */
export async function refuseTakenName(
  executor: Executor,
  name: string,
  { tag, aliasOf = tag }: NameOwners,
): Promise<void> {
  const named = await findActiveTag(executor, name);
  if (named !== null && named.number !== tag)
    throw new Refusal('conflict', { message: `There is one called ${named.name} already.` });
  const alias = await findAlias(executor, tagNameKey(name));
  const owner = alias === null ? null : await findSurvivor(executor, alias.tagNumber);
  if (alias === null || owner === null || owner === aliasOf) return;
  const channel = (await readTagByNumber(executor, owner))?.name ?? '';
  throw new Refusal('conflict', { message: `${alias.name} is another name of ${channel}.` });
}

/** For what cannot be done to a tag while links are copied or taken back. @throws Refusal 409 */
export async function refuseMerging(executor: Executor, { number, name }: Pick<Tag, 'number' | 'name'>): Promise<void> {
  if (await isMerging(executor, number))
    throw new Refusal('conflict', { message: `${name} is being merged. Please try again later.` });
}
