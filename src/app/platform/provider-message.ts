import type { Tokens } from '#contract/entities/account.ts';
import { sessionStore } from './capabilities.ts';

/** What comes back from a visit to a provider (§3 Sign-in), as far as the app needs it. */
export type ProviderMessage = { type: 'OAUTH_SUCCESS'; tokens: Tokens } | { type: 'OAUTH_ERROR'; error: string };

/** The channel that a window uses which was cut off from this page, and the place where a page leaves its message. */
export const signInChannel = 'fourfold.sign-in';

/** Null for whatever else is posted to a page. */
export function readMessage(data: unknown): ProviderMessage | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, tokens, error } = data as Record<string, unknown>;
  if (type === 'OAUTH_ERROR' && typeof error === 'string') return { type, error };
  return type === 'OAUTH_SUCCESS' && areTokens(tokens) ? { type, tokens } : null;
}

export function hasStoredMessage(): boolean {
  return readStored() !== null;
}

/** What a visit without a window has left for this start of the app: once. */
export function consumeStoredMessage(): ProviderMessage | null {
  const stored = readStored();
  try {
    sessionStore()?.removeItem(signInChannel);
    return stored === null ? null : readMessage(JSON.parse(stored));
  } catch {
    return null;
  }
}

function readStored(): string | null {
  try {
    return sessionStore()?.getItem(signInChannel) ?? null;
  } catch {
    return null;
  }
}

function areTokens(value: unknown): value is Tokens {
  if (typeof value !== 'object' || value === null) return false;
  const { access_token, refresh_token } = value as Record<string, unknown>;
  return typeof access_token === 'string' && typeof refresh_token === 'string';
}
