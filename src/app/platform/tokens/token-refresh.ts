import { refreshSession } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import { locks } from '../capabilities.ts';
import { HttpError, isAbort, NetworkError } from '../http/http-error.ts';
import { send } from '../http/send.ts';
import { createSignal } from '../signal.ts';
import { timeLimit } from '../timers.ts';
import type { Tokens } from './token-store.ts';
import { accessToken, clearTokens, refreshToken, storeTokens } from './token-store.ts';

/** The server has ended the session of this browser, and its tokens are gone. */
export const sessionEnded = createSignal();

let pending: Promise<boolean> | null = null;

/**
 * Trades the refresh token for new ones. All who ask meanwhile share one flight, over tabs where locks exist (the server
 * forgives two tabs at once for 10 s where they do not). False: there is nothing to trade, or the server ended the session,
 * and the tokens are gone.
 * @throws what the server or the network answered otherwise; the tokens stay
 */
export function refreshTokens(staleToken: string | null): Promise<boolean> {
  pending ??= withLock(() => exchangeToken(staleToken)).finally(() => {
    pending = null;
  });
  return pending;
}

/** @throws NetworkError when another tab keeps the lock for longer than a call may take: a page that the device has put to sleep does */
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

async function exchangeToken(staleToken: string | null): Promise<boolean> {
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
      sessionEnded.emit();
    }
  }
  return accessToken() !== null;
}

/**
 * The answer may be lost after the server has made the new tokens, and the old one buys them again only for `refreshGraceSeconds`: so the second try
 * comes soon.
 */
async function requestWithRetry(token: string): Promise<Tokens> {
  return requestTokens(token).catch((error: unknown) => {
    if (error instanceof NetworkError) return requestTokens(token);
    throw error;
  });
}

async function requestTokens(token: string): Promise<Tokens> {
  const body = { refresh_token: token };
  return (await send({ method: refreshSession.method, address: refreshSession.path, body, limitSeconds: limits.refreshTimeoutSeconds }, null)) as Tokens;
}

/** Whoever signed out or in meanwhile, here or in another tab, is not overruled by an answer that comes late. */
function isCurrent(token: string): boolean {
  return refreshToken() === token;
}

function isSessionEnded(error: unknown): boolean {
  return error instanceof HttpError && error.status === 401 && error.code !== 'site_password_required';
}
