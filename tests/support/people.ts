import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import type { AuthReply } from '#contract/entities/account.ts';
import { authReplySchema } from '#contract/entities/account.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { userChangeRepository } from '#server/features/users/user-change-repository.ts';
import type { ServerUnderTest } from './server-under-test.ts';

export const password = 'north pier at dawn';

export interface Person {
  id: string;
  username: string;
  accessToken: string;
  refreshToken: string;
  /** What a call of this person carries. */
  headers: { authorization: string };
}

/** Puts an account into the database; the calls for making one count their tries. @returns its id */
export async function putAccount(
  { services }: ServerUnderTest,
  username: string,
  tier: Tier = 'basic',
  facts: { tierExpiresAt?: number | null; displayName?: string } = {},
): Promise<string> {
  const { accounts, database, ids, clock } = services;
  const id = ids.long();
  const passwordHash = await accounts.hasher.hash(password);
  await database.write(async (transaction) => {
    const email = `${username}@example.com`;
    await userChangeRepository.insert(transaction, {
      id,
      username,
      email,
      isEmailVerified: false,
      displayName: facts.displayName ?? null,
      tier,
      passwordHash,
      createdAt: clock.now(),
    });
    if (facts.tierExpiresAt !== undefined)
      await userChangeRepository.update(transaction, id, { tierExpiresAt: facts.tierExpiresAt });
  });
  return id;
}

/** An account, signed in. */
export async function putPerson(server: ServerUnderTest, username: string, tier: Tier = 'basic'): Promise<Person> {
  await putAccount(server, username, tier);
  return personOf(await signIn(server, username));
}

export function signIn(
  server: ServerUnderTest,
  identifier: string,
  options: Omit<InjectOptions, 'method' | 'url'> = {},
): Promise<LightMyRequestResponse> {
  const payload = { identifier, password, ...(options.payload as object | undefined) };
  return server.call('POST', '/auth/login', { ...options, payload });
}

export function personOf(reply: LightMyRequestResponse): Person {
  return toPerson(authReplySchema.parse(reply.json()));
}

function toPerson({ access_token: accessToken, refresh_token: refreshToken, user }: AuthReply): Person {
  return {
    id: user.id,
    username: user.username,
    accessToken,
    refreshToken,
    headers: { authorization: `Bearer ${accessToken}` },
  };
}

export function refresh(server: ServerUnderTest, token: string): Promise<LightMyRequestResponse> {
  return server.call('POST', '/auth/refresh', { payload: { refresh_token: token } });
}
