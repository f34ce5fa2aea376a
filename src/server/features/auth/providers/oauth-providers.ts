import type { Configuration } from 'openid-client';
import * as oauth from 'openid-client';
import { z } from 'zod';
import type { ProviderClient } from '../../../env.ts';
import { avatarAddressOf } from './avatar-address.ts';
import { askProvider, authorizationUrl, clientFacts, prepare, tradeCode } from './code-flow.ts';
import type { OAuthAddresses } from './oauth-addresses.ts';
import type { Provider, ProviderProfile } from './provider.ts';
import { ProviderFailed } from './provider.ts';

type Ask = (address: string) => Promise<unknown>;

interface OAuthKind {
  name: 'github' | 'discord';
  displayName: string;
  scope: string;
  readProfile(ask: Ask, addresses: OAuthAddresses): Promise<ProviderProfile>;
}

const githubPerson = z.object({
  id: z.int(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const githubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

const github: OAuthKind = {
  name: 'github',
  displayName: 'GitHub',
  scope: 'read:user user:email',
  async readProfile(ask, { issuer, person, avatars }) {
    const { id, login, name, avatar_url: address } = expecting(githubPerson, await ask(person));
    // The address on the profile is what people want to be shown; only this list says which one is theirs.
    const emails = expecting(githubEmails, await ask(`${person}/emails`));
    const email = emails.find((one) => one.primary) ?? emails[0];
    return {
      issuer,
      subject: String(id),
      email: email?.email ?? null,
      isEmailVerified: email?.verified === true,
      displayName: name ?? null,
      username: login,
      avatar: avatarAddressOf(address, [avatars]),
    };
  },
};

const discordPerson = z.object({
  id: z.string().regex(/^\d+$/),
  username: z.string(),
  global_name: z.string().nullish(),
  avatar: z.string().regex(/^\w+$/).nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

const discord: OAuthKind = {
  name: 'discord',
  displayName: 'Discord',
  scope: 'identify email',
  async readProfile(ask, { issuer, person, avatars }) {
    const { id, username, global_name: name, avatar, email, verified } = expecting(discordPerson, await ask(person));
    return {
      issuer,
      subject: id,
      email: email ?? null,
      isEmailVerified: verified === true,
      displayName: name ?? null,
      username,
      avatar: avatar ? avatarAddressOf(`https://${avatars}/avatars/${id}/${avatar}.png`, [avatars]) : null,
    };
  },
};

const kinds = { github, discord };

/** A provider that speaks OAuth 2.0 with an interface of its own. */
export function createOAuthProvider(
  name: keyof typeof kinds,
  client: ProviderClient,
  addresses: OAuthAddresses,
): Provider {
  const { displayName, scope, readProfile } = kinds[name];
  const configuration = configure(addresses, client);
  return {
    name,
    displayName,
    start: (redirectUrl, secrets) => authorizationUrl(configuration, redirectUrl, scope, secrets, false),
    async finish(callback, secrets) {
      const tokens = await tradeCode(configuration, callback, secrets, false);
      return readProfile((address) => askProvider(configuration, tokens.access_token, address), addresses);
    },
  };
}

function configure(
  { issuer, authorization, token }: OAuthAddresses,
  { clientId, clientSecret }: ProviderClient,
): Configuration {
  const server = { issuer, authorization_endpoint: authorization, token_endpoint: token };
  return prepare(new oauth.Configuration(server, clientId, clientFacts, oauth.ClientSecretPost(clientSecret)), issuer);
}

function expecting<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) throw new ProviderFailed('oauth_failed', { cause: parsed.error });
  return parsed.data;
}
