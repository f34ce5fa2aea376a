import type { Env } from '../../env.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { Caller, SignedIn } from '../../http/pipeline/guards.ts';
import { signedIn } from '../../http/pipeline/guards.ts';

/** Whoever changes tags, or what they are on. @throws Refusal 401, and 403 where only admins may */
export function tagEditor({ tagEditing }: Pick<Env, 'tagEditing'>, caller: Caller): SignedIn {
  const user = signedIn(caller);
  if (tagEditing === 'admins' && !user.isAdmin) throw new Refusal('forbidden');
  return user;
}
