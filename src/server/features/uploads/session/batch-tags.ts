import type { Executor } from '../../../database/tables.ts';
import type { Env } from '../../../env.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import { resolveTagIds } from '../../tags/merged-tag-repository.ts';

/** Whether somebody may put videos into channels. */
export function mayTag({ tagEditing }: Pick<Env, 'tagEditing'>, { isAdmin }: Pick<SignedIn, 'isAdmin'>): boolean {
  return tagEditing !== 'admins' || isAdmin;
}

/** @throws Refusal 403 where only administrators change tags, 404 unless all of them are there */
export async function requireTags(
  executor: Executor,
  env: Pick<Env, 'tagEditing'>,
  person: Pick<SignedIn, 'isAdmin'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  if (!mayTag(env, person))
    throw new Refusal('forbidden', { message: 'Only administrators can put videos into channels here.' });
  if ((await resolveTagIds(executor, ids)).length < new Set(ids).size) throw new NotFound('tag');
}
