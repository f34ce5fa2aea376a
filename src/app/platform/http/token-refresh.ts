import type { Tokens } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import { refreshSession } from '#contract/start.ts';
import { timeLimit } from '#device/timers.ts';
import { locks } from '../capabilities.ts';
import { createSignal } from '../signal.ts';
import { HttpError, NetworkError, send } from './send.ts';
import { accessToken, clearTokens, refreshToken, storeTokens } from './token-store.ts';

/**
 * Raised when the server has ended the session of this browser, and its tokens were cleared.
 * `isQuiet`: a background request found out, so that the user is not asked to sign in.
 */
export const authSessionEnded = createSignal<{ isQuiet: boolean }>();

let pending: Promise<boolean> | null = null;

/**
 * Exchanges the refresh token for new tokens. Concurrent callers share one request, even across
 * tabs in engines with locks (elsewhere the server accepts the same token from two tabs for 10 s).
 * False when there is no token, or the server ended the session and the tokens were cleared.
 * @throws any other failure; the tokens are kept
 */
export function refreshTokens(staleToken: string | null, isQuiet = false): Promise<boolean> {
  pending ??= withLock(() => exchangeToken(staleToken, isQuiet)).finally(() => {
    pending = null;
  });
  return pending;
}

/**
 * @throws NetworkError when another tab, such as a suspended one, holds the lock for longer than a
 * call may take
 */
async function withLock(run: () => Promise<boolean>): Promise<boolean> {
  const manager = locks();
  if (!manager) return run();
  const limit = timeLimit(limits.callTimeoutSeconds * 1000);
  const runHeld = () => {
    limit.done();
    return run();
  };
  try {
    return await manager.request('fourfold.token-refresh', { signal: limit.signal }, runHeld);
  } catch (error) {
    throw isAbort(error) ? new NetworkError() : error;
  }
}

async function exchangeToken(staleToken: string | null, isQuiet: boolean): Promise<boolean> {
  const token = refreshToken();
  if (token === null) return false;
  const current = accessToken();
  const wasRefreshedElsewhere = current !== null && current !== staleToken;
  if (wasRefreshedElsewhere) return true;
  try {
    const fresh = await requestWithRetry(token);
    if (isCurrent(token)) storeTokens(fresh);
  } catch (error) {
    if (!isSessionEnded(error)) throw error;
    if (isCurrent(token)) {
      clearTokens();
      authSessionEnded.emit({ isQuiet });
    }
  }
  return accessToken() !== null;
}

/**
 * Retries at once: the answer may be lost after the server has issued the tokens, and the old token
 * returns the same ones only for `refreshGraceSeconds`.
 */
async function requestWithRetry(token: string): Promise<Tokens> {
  return requestTokens(token).catch((error: unknown) => {
    if (error instanceof NetworkError) return requestTokens(token);
    throw error;
  });
}

async function requestTokens(token: string): Promise<Tokens> {
  const body = { refresh_token: token };
  return (await send(
    { method: refreshSession.method, address: refreshSession.path, body, limitSeconds: limits.refreshTimeoutSeconds },
    null,
  )) as Tokens;
}

/**
 * Whether the token is still current: a late answer must not undo a sign-out or sign-in that
 * happened meanwhile, here or in another tab.
 */
function isCurrent(token: string): boolean {
  return refreshToken() === token;
}

function isSessionEnded(error: unknown): boolean {
  return error instanceof HttpError && error.status === 401 && error.code !== 'site_password_required';
}

/** Whether an error is an abort, which is not reported as a failure: its caller caused it. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
