import type {
  ClientAuth,
  Configuration,
  IDToken,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
  UserInfoResponse,
} from 'openid-client';
import * as oauth from 'openid-client';
import { z } from 'zod';
import type { Clock } from '../../../clock.ts';
import type { ProviderClient } from '../../../env.ts';
import { isLoopback } from '../../../http/client-address.ts';
import type { OAuthAddresses, Provider, ProviderProfile, VisitSecrets } from './provider.ts';
import { ProviderFailed } from './provider.ts';

interface OpenIdFacts extends ProviderClient {
  name: string;
  displayName: string;
  issuer: string;
  /** Hosts that avatars are fetched from, in addition to the issuer's own. */
  avatarHosts?: readonly string[];
}

const openIdScope = 'openid email profile';

/** A provider that speaks OpenID Connect. Its endpoints are discovered on first use. */
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
    start: async (redirectUrl, secrets) => authorizationUrl(await configure(), redirectUrl, openIdScope, secrets, true),
    async finish(callback, secrets) {
      const configuration = await configure();
      const tokens = await tradeCode(configuration, callback, secrets, true);
      const claims = tokens.claims();
      // The library only checks that it is a number.
      const isFromFuture = claims !== undefined && claims.iat * 1_000 > clock.now() + skewSeconds * 1_000;
      if (claims === undefined || isFromFuture) throw new ProviderFailed('oauth_failed');
      return toProfile(facts, claims, await moreOf(configuration, tokens.access_token, claims));
    },
  };
}

/** Reads the user info, because some providers put only the subject into the id token. */
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

/** The trimmed text, or null for anything else that a provider sends. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

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
    // The address on the profile is for display. Only this list says which addresses are verified
    // and primary.
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

const oauthKinds = { github, discord };

/** A provider that speaks OAuth 2.0 with its own API. */
export function createOAuthProvider(
  name: keyof typeof oauthKinds,
  client: ProviderClient,
  addresses: OAuthAddresses,
): Provider {
  const { displayName, scope, readProfile } = oauthKinds[name];
  const configuration = configureOAuth(addresses, client);
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

function configureOAuth(
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

type ProviderTokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

const patienceSeconds = 5;
/** Tolerated difference between the provider's clock and this one. */
const skewSeconds = 60;

/** Sets the timeout, and allows plain http to this machine only. */
function prepare(configuration: Configuration, issuer: string): Configuration {
  configuration.timeout = patienceSeconds;
  if (isPlainLoopback(issuer)) oauth.allowInsecureRequests(configuration);
  return configuration;
}

const clientFacts = { [oauth.clockTolerance]: skewSeconds };

/**
 * Discovers a provider. Its id tokens are accepted only with a signature by its published keys:
 * without `enableNonRepudiationChecks` openid-client relies on TLS to the token endpoint (OpenID
 * Connect Core, section 3.1.3.7).
 * @throws ProviderFailed
 */
async function discover(
  issuer: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<Configuration> {
  const execute = [oauth.enableNonRepudiationChecks, ...(isPlainLoopback(issuer) ? [oauth.allowInsecureRequests] : [])];
  const options = { execute, timeout: patienceSeconds };
  return prepare(
    await trying(oauth.discovery(new URL(issuer), clientId, clientFacts, usualAuth(clientSecret), options)),
    issuer,
  );
}

/** Asks an issuer for its description. @returns the reason why it is of no use, or null */
export async function askIssuer(issuer: string, client: ProviderClient): Promise<ProviderFailed['code'] | null> {
  try {
    await discover(issuer, client);
    return null;
  } catch (error) {
    if (error instanceof ProviderFailed) return error.code;
    throw error;
  }
}

/**
 * Authenticates by header, unless the provider accepts only the form (OpenID Connect Discovery,
 * section 3).
 */
function usualAuth(secret: string): ClientAuth {
  const [byHeader, byForm] = [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = methods.includes('client_secret_basic') ? byHeader : byForm;
    return auth(server, client, body, headers);
  };
}

async function authorizationUrl(
  configuration: Configuration,
  redirectUrl: string,
  scope: string,
  { state, verifier, nonce }: VisitSecrets,
  hasNonce: boolean,
) {
  return oauth.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUrl,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(hasNonce ? { nonce } : {}),
  });
}

/**
 * Exchanges the code of the callback for tokens. This checks state, issuer and PKCE and, for an id
 * token, nonce, audience, times and signature.
 * @throws ProviderFailed
 */
function tradeCode(
  configuration: Configuration,
  callback: URL,
  { state, nonce, verifier }: VisitSecrets,
  hasIdToken: boolean,
): Promise<ProviderTokens> {
  const checks = {
    expectedState: state,
    pkceCodeVerifier: verifier,
    ...(hasIdToken ? { expectedNonce: nonce, idTokenExpected: true } : {}),
  };
  return trying(oauth.authorizationCodeGrant(configuration, callback, checks));
}

/**
 * JSON of the provider's own API.
 * @throws ProviderFailed
 */
async function askProvider(configuration: Configuration, accessToken: string, address: string): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json', 'user-agent': 'Fourfold' });
  const answer = await trying(
    oauth.fetchProtectedResource(configuration, accessToken, new URL(address), 'GET', null, headers),
  );
  if (!answer.ok) throw new ProviderFailed(answer.status >= 500 ? 'provider_unavailable' : 'oauth_failed');
  return trying(answer.json());
}

/** Turns every error of a request to a provider into one that may be shown. */
async function trying<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ProviderFailed(reasonOf(error), { cause: error });
  }
}

function reasonOf(error: unknown): ProviderFailed['code'] {
  if (error instanceof oauth.AuthorizationResponseError)
    return error.error === 'access_denied' ? 'access_denied' : 'oauth_failed';
  const isUnanswered =
    error instanceof TypeError ||
    (error instanceof oauth.ClientError && (error.code === 'OAUTH_TIMEOUT' || isServersFault(error.cause)));
  return isUnanswered ? 'provider_unavailable' : 'oauth_failed';
}

function isServersFault(cause: unknown): boolean {
  return cause instanceof TypeError || (cause instanceof Response && cause.status >= 500);
}

/**
 * The avatar's URL if its host belongs to the provider, else null. A URL that a person can choose
 * would let them make this server send requests anywhere.
 */
export function avatarAddressOf(address: unknown, hosts: readonly string[]): URL | null {
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isSafe = url.protocol === 'https:' || isPlainLoopback(address);
  return isSafe && hosts.includes(url.hostname) ? url : null;
}

/**
 * Only a provider on this machine may use plain http. Certificates of all others are always
 * checked.
 */
function isPlainLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && (hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, '')));
}
