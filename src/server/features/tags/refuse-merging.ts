import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { isMerging } from './merged-tag-repository.ts';
import type { Tag } from './tag.ts';

/** For what cannot be done to a tag while links are copied or taken back. @throws Refusal 409 */
export async function refuseMerging(executor: Executor, { number, name }: Pick<Tag, 'number' | 'name'>): Promise<void> {
  if (await isMerging(executor, number))
    throw new Refusal('conflict', { message: `${name} is being merged. Please try again later.` });
}
