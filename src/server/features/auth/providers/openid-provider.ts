import type { Configuration, IDToken, UserInfoResponse } from 'openid-client';
import * as oauth from 'openid-client';
import type { Clock } from '../../../clock.ts';
import type { ProviderClient } from '../../../env.ts';
import { avatarAddressOf } from './avatar-address.ts';
import { authorizationUrl, discover, skewSeconds, tradeCode, trying } from './code-flow.ts';
import type { Provider, ProviderProfile } from './provider.ts';
import { ProviderFailed } from './provider.ts';

export interface OpenIdFacts extends ProviderClient {
  name: string;
  displayName: string;
  issuer: string;
  /** Hosts whose avatars are fetched, beside the issuer's own. */
  avatarHosts?: readonly string[];
}

const scope = 'openid email profile';

/** Any provider that speaks OpenID Connect. It is asked for its addresses when it is first needed. */
export function createOpenIdProvider(facts: OpenIdFacts, clock: Clock): Provider {
  let known: Promise<Configuration> | null = null;
  const configure = () => {
    known ??= discover(facts.issuer, facts).catch((error: unknown) => {
      known = null;
      throw error;
    });
    return known;
  };

  return {
    name: facts.name,
    displayName: facts.displayName,
    start: async (redirectUrl, secrets) => authorizationUrl(await configure(), redirectUrl, scope, secrets, true),
    async finish(callback, secrets) {
      const configuration = await configure();
      const tokens = await tradeCode(configuration, callback, secrets, true);
      const claims = tokens.claims();
      // The library checks no more than that it is a number.
      const isFromFuture = claims !== undefined && claims.iat * 1_000 > clock.now() + skewSeconds * 1_000;
      if (claims === undefined || isFromFuture) throw new ProviderFailed('oauth_failed');
      return toProfile(facts, claims, await moreOf(configuration, tokens.access_token, claims));
    },
  };
}

/** Some providers put no more than the subject into the id token. */
async function moreOf(
  configuration: Configuration,
  accessToken: string,
  claims: IDToken,
): Promise<IDToken | UserInfoResponse> {
  if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
  return trying(oauth.fetchUserInfo(configuration, accessToken, claims.sub));
}

function toProfile(
  { issuer, avatarHosts = [] }: OpenIdFacts,
  { iss, sub }: IDToken,
  more: IDToken | UserInfoResponse,
): ProviderProfile {
  return {
    issuer: iss,
    subject: sub,
    email: textOf(more.email),
    isEmailVerified: more.email_verified === true,
    displayName: textOf(more.name),
    username: textOf(more.preferred_username) ?? textOf(more.nickname),
    avatar: avatarAddressOf(more.picture, [...avatarHosts, new URL(issuer).hostname]),
  };
}

/** Whatever a provider sends for a text. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
