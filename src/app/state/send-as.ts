import type { Outgoing } from '#app/platform/http/fetch-answer.ts';
import { fetchResponse } from '#app/platform/http/fetch-answer.ts';
import { HttpError, NetworkError, send } from '#app/platform/http/send.ts';
import { refreshTokens } from '#app/platform/http/token-refresh.ts';
import { accessToken, refreshToken } from '#app/platform/http/token-store.ts';
import type { ReplayAnswer } from '#device/outbox-replay.ts';
import { now, readRetryAfter } from '#device/timers.ts';
import { session } from './session.ts';

/** A background request for one particular user. */
export interface OwnRequest extends Pick<Outgoing, 'method' | 'address' | 'body' | 'headers' | 'keepalive'> {
  userId: string;
  limitSeconds?: number;
}

/**
 * Sends a request, never with another user's token: another tab may have signed in somebody else.
 */
export function fetchAs({ userId, headers }: Pick<OwnRequest, 'userId' | 'headers'>) {
  return (outgoing: Outgoing, token: string | null): Promise<Response> => {
    if (token !== null && !isTokenOf(userId, token)) throw new NetworkError();
    return fetchResponse({ ...outgoing, headers }, token);
  };
}

/** Sends a request. A 401 causes one quiet refresh of the tokens; no dialog opens. */
export async function sendAs(request: OwnRequest): Promise<ReplayAnswer> {
  const token = accessToken();
  const answer = await sendWith(token, request);
  if (answer.kind !== 'answered' || answer.status !== 401) return answer;
  const isRefreshed = await refreshTokens(token, true).catch(() => null);
  if (isRefreshed === null) return { kind: 'unanswered' };
  return isRefreshed ? sendWith(accessToken(), request) : { kind: 'not-signed-in' };
}

async function sendWith(token: string | null, request: OwnRequest): Promise<ReplayAnswer> {
  if (token === null) return refreshToken() === null ? { kind: 'not-signed-in' } : refusal(401, '', null);
  if (!isTokenOf(request.userId, token)) return { kind: 'not-signed-in' };
  const { method, address, body, limitSeconds, keepalive } = request;
  let retryAfterMs: number | null = null;
  const fetch = async (outgoing: Outgoing, own: string | null) => {
    const response = await fetchAs(request)(outgoing, own);
    retryAfterMs = readRetryAfter(response.headers.get('Retry-After'));
    return response;
  };
  try {
    const reply = await send({ method, address, body, limitSeconds, keepalive, fetch }, token);
    return { ...refusal(200, '', null), body: reply };
  } catch (error) {
    return error instanceof HttpError ? refusal(error.status, error.message, retryAfterMs) : { kind: 'unanswered' };
  }
}

/**
 * Whether a token belongs to the user. For a token that cannot be parsed, the session's user
 * counts.
 */
function isTokenOf(userId: string, token: string): boolean {
  return (ownerOf(token) ?? session.user?.id) === userId;
}

function refusal(status: number, sentence: string, retryAfterMs: number | null) {
  return { kind: 'answered', status, sentence, retryAfterMs, body: null } as const;
}

/**
 * Whether a JWT is expired by its own `exp` and this device's clock. False when it cannot be
 * parsed: the server decides then.
 * @param token three parts of base64url, RFC 7519
 */
export function hasRunOut(token: string): boolean {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' && exp * 1000 <= now();
}

/** The id of a token's user; null when it cannot be parsed. */
export function ownerOf(token: string): string | null {
  const { sub } = claimsOf(token);
  return typeof sub === 'string' ? sub : null;
}

/** `exp` is in epoch seconds. */
function claimsOf(token: string): { exp?: unknown; sub?: unknown } {
  const [, claims = ''] = token.split('.');
  try {
    return Object(JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/'))));
  } catch {
    return {};
  }
}
