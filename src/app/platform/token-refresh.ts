import { refreshSession } from '#contract/endpoints.ts';
import { locks } from './capabilities.ts';
import { HttpError } from './http-error.ts';
import { send } from './send.ts';
import { createSignal } from './signal.ts';
import type { Tokens } from './token-keeper.ts';
import { accessToken, dropTokens, keepTokens, refreshToken } from './token-keeper.ts';

/** The server has ended the session of this browser, and its tokens are gone. */
export const sessionEnded = createSignal();

let flight: Promise<boolean> | null = null;

/**
 * Trades the refresh token for new ones. All who ask meanwhile share one flight, over tabs where locks exist (the server
 * forgives two tabs at once for 10 s where they do not). False: there is nothing to trade, or the server ended the session,
 * and the tokens are gone.
 * @throws what the server or the network answered otherwise; the tokens stay
 */
export function refreshTokens(stale: string | null): Promise<boolean> {
  flight ??= alone(() => trade(stale)).finally(() => {
    flight = null;
  });
  return flight;
}

function alone(run: () => Promise<boolean>): Promise<boolean> {
  const manager = locks();
  return manager ? manager.request('fourfold.token-refresh', run) : run();
}

async function trade(stale: string | null): Promise<boolean> {
  const token = refreshToken();
  if (token === null) return false;
  const current = accessToken();
  const isTradedByAnotherTab = current !== null && current !== stale;
  if (isTradedByAnotherTab) return true;
  try {
    const fresh = (await send({ method: refreshSession.method, address: refreshSession.path, body: { refresh_token: token } }, null)) as Tokens;
    if (isStillOurs(token)) keepTokens(fresh);
  } catch (error) {
    if (!isSessionEnded(error)) throw error;
    if (isStillOurs(token)) {
      dropTokens();
      sessionEnded.emit();
    }
  }
  return accessToken() !== null;
}

/** Whoever signed out or in meanwhile, here or in another tab, is not overruled by an answer that comes late. */
function isStillOurs(token: string): boolean {
  return refreshToken() === token;
}

function isSessionEnded(error: unknown): boolean {
  return error instanceof HttpError && error.status === 401 && error.code !== 'site_password_required';
}
