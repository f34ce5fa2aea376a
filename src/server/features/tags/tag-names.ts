import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { deleteAlias, findAlias } from './alias-repository.ts';
import { findSurvivor } from './merged-tag-repository.ts';
import { findActiveTag, readTagByNumber, tagNameKey } from './tag-repository.ts';

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
