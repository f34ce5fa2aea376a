import { now } from '../timers.ts';

/**
 * Whether a JWT is expired by its own `exp` and this device's clock. False for one that cannot be parsed: the server
 * decides then.
 * @param token three parts of base64url, RFC 7519
 */
export function hasRunOut(token: string): boolean {
  const expiresAt = expiryOf(token);
  return expiresAt !== null && expiresAt * 1000 <= now();
}

/** Epoch seconds. */
function expiryOf(token: string): number | null {
  const [, claims = ''] = token.split('.');
  try {
    const { exp } = JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/'))) as { exp?: unknown };
    return typeof exp === 'number' ? exp : null;
  } catch {
    return null;
  }
}
