import { now } from '../timers.ts';

/**
 * Whether a JWT is expired by its own `exp` and this device's clock. False for one that cannot be parsed: the server
 * decides then.
 * @param token three parts of base64url, RFC 7519
 */
export function hasRunOut(token: string): boolean {
  const { exp } = claimsOf(token);
  return typeof exp === 'number' && exp * 1000 <= now();
}

/** The id of the user whom a token lets in; null for one that cannot be parsed. */
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
