import type { ClientAuth, Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import * as oauth from 'openid-client';
import { isPlainLoopback } from './plain-loopback.ts';
import type { VisitSecrets } from './provider.ts';
import { ProviderFailed } from './provider.ts';

export type ProviderTokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

const patienceSeconds = 5;
/** Between the provider's clock and ours. */
export const skewSeconds = 60;

/** What every configuration has: patience, and plain http on this machine alone. */
export function prepare(configuration: Configuration, issuer: string): Configuration {
  configuration.timeout = patienceSeconds;
  if (isPlainLoopback(issuer)) oauth.allowInsecureRequests(configuration);
  return configuration;
}

export const clientFacts = { [oauth.clockTolerance]: skewSeconds };

/**
 * The provider as it describes itself. Its id tokens are believed under a signature of its published keys alone:
 * without `enableNonRepudiationChecks` openid-client takes TLS to the token endpoint for enough (OpenID Connect Core,
 * section 3.1.3.7).
 * @throws ProviderFailed
 */
export async function discover(
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

/** As the provider wants it: by header unless it takes the form alone (OpenID Connect Discovery, section 3). */
function usualAuth(secret: string): ClientAuth {
  const [byHeader, byForm] = [oauth.ClientSecretBasic(secret), oauth.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const auth = methods.includes('client_secret_basic') ? byHeader : byForm;
    return auth(server, client, body, headers);
  };
}

export async function authorizationUrl(
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
 * Trades the code of the callback. State, issuer, PKCE and, with an id token, nonce, audience, times and signature are
 * checked on the way. @throws ProviderFailed
 */
export function tradeCode(
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

/** JSON of the provider's own interface. @throws ProviderFailed */
export async function askProvider(
  configuration: Configuration,
  accessToken: string,
  address: string,
): Promise<unknown> {
  const headers = new Headers({ accept: 'application/json', 'user-agent': 'Fourfold' });
  const answer = await trying(
    oauth.fetchProtectedResource(configuration, accessToken, new URL(address), 'GET', null, headers),
  );
  if (!answer.ok) throw new ProviderFailed(answer.status >= 500 ? 'provider_unavailable' : 'oauth_failed');
  return trying(answer.json());
}

/** Turns whatever goes wrong on the way to a provider into what may be told of it. */
export async function trying<T>(work: Promise<T>): Promise<T> {
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
