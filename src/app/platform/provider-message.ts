import type { Tokens } from '#contract/entities/account.ts';
import { sessionStore } from './capabilities.ts';

/** The result of a sign-in at a provider (§3 Sign-in), as far as the app needs it. */
export type ProviderResult = { type: 'OAUTH_SUCCESS'; tokens: Tokens } | { type: 'OAUTH_ERROR'; error: string };

/**
 * The name of the channel for a window that lost its opener, and the key in session storage for a
 * sign-in without a window.
 */
export const signInChannel = 'fourfold.sign-in';

/** Reads a provider's message; null for any other data. */
export function readMessage(data: unknown): ProviderResult | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, tokens, error } = data as Record<string, unknown>;
  if (type === 'OAUTH_ERROR' && typeof error === 'string') return { type, error };
  return type === 'OAUTH_SUCCESS' && areTokens(tokens) ? { type, tokens } : null;
}

export function hasStoredMessage(): boolean {
  return readStored() !== null;
}

/** Reads and removes the message that a sign-in without a window has stored. */
export function consumeStoredMessage(): ProviderResult | null {
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
