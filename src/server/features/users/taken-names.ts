import { nameKey } from '#contract/rules/text.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import { findTaken } from './user-repository.ts';

/** Nobody may pass for the site itself. */
const reserved: ReadonlySet<string> = new Set([
  'admin',
  'administrator',
  'anonymous',
  'fourfold',
  'moderator',
  'owner',
  'root',
  'support',
  'system',
  'webmaster',
]);

const sentences = { username: 'This username is already taken', email: 'This email is already in use' };

/** @throws Refusal 409 that names each field which somebody else has */
export async function refuseTaken(
  executor: Executor,
  wanted: { username?: string; email?: string },
  except = '',
): Promise<void> {
  const taken = await findTaken(executor, wanted, except);
  if (taken.length > 0) throw conflict(taken.map((field) => ({ field, message: sentences[field] })));
}

/** @throws Refusal 409 */
export function refuseReserved(username: string): void {
  if (isReserved(username)) throw conflict([{ field: 'username', message: 'This username is reserved' }]);
}

export function isReserved(username: string): boolean {
  return reserved.has(nameKey(username));
}

function conflict(details: { field: string; message: string }[]): Refusal {
  return new Refusal('conflict', { message: details[0]?.message, details });
}
