import type { Clock } from '../../../clock.ts';
import type { Env } from '../../../env.ts';
import type { OAuthAddresses, Provider } from './provider.ts';

export const google = {
  name: 'google',
  displayName: 'Google',
  issuer: 'https://accounts.google.com',
  avatarHosts: ['lh3.googleusercontent.com'],
};

/**
 * The providers that are configured at the moment, in the order of their buttons. They are made
 * again when administrators change them.
 */
export function followProviders(
  env: Pick<Env, 'providers'>,
  clock: Clock,
  addresses: Record<'github' | 'discord', OAuthAddresses> = oauthAddresses,
): () => readonly Provider[] {
  let made: { from: string; providers: Provider[] } | null = null;
  return () => {
    const from = JSON.stringify(env.providers);
    if (made?.from !== from) made = { from, providers: createProviders(env.providers, clock, addresses) };
    return made.providers;
  };
}

function createProviders(
  providers: Env['providers'],
  clock: Clock,
  addresses: Record<'github' | 'discord', OAuthAddresses>,
): Provider[] {
  const { google: googleClient, github, discord, oidc } = providers;
  const load = () => import('./oauth-providers.ts');
  return [
    googleClient &&
      whenNeeded(google, async () => (await load()).createOpenIdProvider({ ...google, ...googleClient }, clock)),
    github &&
      whenNeeded({ name: 'github', displayName: 'GitHub' }, async () =>
        (await load()).createOAuthProvider('github', github, addresses.github),
      ),
    discord &&
      whenNeeded({ name: 'discord', displayName: 'Discord' }, async () =>
        (await load()).createOAuthProvider('discord', discord, addresses.discord),
      ),
    oidc &&
      whenNeeded({ name: 'oidc', displayName: oidc.displayName }, async () =>
        (await load()).createOpenIdProvider({ name: 'oidc', ...oidc }, clock),
      ),
  ].filter((provider) => provider !== null);
}

/**
 * Defers loading a provider's code until its first use: most sites have no providers, and most
 * starts need none.
 */
function whenNeeded(
  { name, displayName }: Pick<Provider, 'name' | 'displayName'>,
  create: () => Promise<Provider>,
): Provider {
  let provider: Promise<Provider> | null = null;
  const get = () => {
    provider ??= create();
    return provider;
  };
  return {
    name,
    displayName,
    start: async (redirectUrl, secrets) => (await get()).start(redirectUrl, secrets),
    finish: async (callback, secrets) => (await get()).finish(callback, secrets),
  };
}

/**
 * The documented endpoints (GitHub: 'Authorizing OAuth apps'; Discord: 'OAuth2', 'User resource').
 */
const oauthAddresses = {
  github: {
    issuer: 'https://github.com',
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    person: 'https://api.github.com/user',
    avatars: 'avatars.githubusercontent.com',
  },
  discord: {
    issuer: 'https://discord.com',
    authorization: 'https://discord.com/oauth2/authorize',
    token: 'https://discord.com/api/oauth2/token',
    person: 'https://discord.com/api/users/@me',
    avatars: 'cdn.discordapp.com',
  },
} satisfies Record<string, OAuthAddresses>;
