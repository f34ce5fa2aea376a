import type { Env } from '../../env.ts';
import type { OAuthAddresses } from './oauth-providers.ts';
import { createOAuthProvider, oauthAddresses } from './oauth-providers.ts';
import { createOpenIdProvider } from './openid-provider.ts';
import type { Provider } from './provider.ts';

const google = { name: 'google', displayName: 'Google', issuer: 'https://accounts.google.com', pictureHosts: ['lh3.googleusercontent.com'] };

/** Those that the operator has registered this site with, in the order of their buttons. */
export function configuredProviders(
  { providers }: Pick<Env, 'providers'>,
  addresses: Record<'github' | 'discord', OAuthAddresses> = oauthAddresses,
): Provider[] {
  return [
    providers.google === null ? null : createOpenIdProvider({ ...google, ...providers.google }),
    providers.github === null ? null : createOAuthProvider('github', providers.github, addresses.github),
    providers.discord === null ? null : createOAuthProvider('discord', providers.discord, addresses.discord),
    providers.oidc === null ? null : createOpenIdProvider({ name: 'oidc', ...providers.oidc }),
  ].filter((provider) => provider !== null);
}
