import type { Executor } from '../../../database/tables.ts';
import { deleteAlias, findAlias, findSurvivor } from '../../tags/merged-tag-repository.ts';
import { findActiveTag, tagNameKey } from '../../tags/tag-repository.ts';

/** The active tag that has a name, as its own or as an alias. */
export async function findNameHolder(executor: Executor, name: string): Promise<number | null> {
  const tag = await findActiveTag(executor, name);
  if (tag !== null) return tag.number;
  const alias = await findAlias(executor, tagNameKey(name));
  return alias === null ? null : findSurvivor(executor, alias.tagNumber);
}

/** Before a tag takes a name that no other holds: an alias that says the same is none any more. */
export async function releaseAlias(executor: Executor, name: string): Promise<void> {
  await deleteAlias(executor, tagNameKey(name));
}
