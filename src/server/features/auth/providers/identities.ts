import type { Identity } from '#contract/entities/people/identity.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import { holdAccount } from '../../users/user-change-repository.ts';
import { readPasswordHash } from '../../users/user-repository.ts';
import type { AuthDeps, Visitor } from '../auth-deps.ts';
import { deleteIdentity, listIdentitiesOf } from './identity-repository.ts';

export async function listIdentities({ database }: AuthDeps, userId: string): Promise<Identity[]> {
  const identities = await listIdentitiesOf(database.reader, userId);
  return identities.map(({ provider, email, linkedAt }) => ({
    provider,
    email,
    linked_at: new Date(linkedAt).toISOString(),
  }));
}

/** @throws NotFound, Refusal 409 for the last way in */
export async function unlink(
  { database, audit }: AuthDeps,
  { source }: Visitor,
  userId: string,
  provider: string,
): Promise<void> {
  await database.write(async (transaction) => {
    await holdAccount(transaction, userId);
    const identities = await listIdentitiesOf(transaction, userId);
    if (!identities.some((identity) => identity.provider === provider)) throw new NotFound('provider');
    const isLastWay = identities.length === 1 && (await readPasswordHash(transaction, userId)) === null;
    if (isLastWay)
      throw new Refusal('conflict', { message: 'This is your only way to sign in. Set a password first.' });
    await deleteIdentity(transaction, userId, provider);
  });
  audit.write('identity_unlinked', source, { user: userId, provider });
}
