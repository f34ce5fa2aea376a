import { isPlainLoopback } from './plain-loopback.ts';

/**
 * Only what lies with the provider is fetched: an address that a person can choose would let them send this server
 * anywhere.
 */
export function avatarAddressOf(address: unknown, hosts: readonly string[]): URL | null {
  if (typeof address !== 'string' || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isSafe = url.protocol === 'https:' || isPlainLoopback(address);
  return isSafe && hosts.includes(url.hostname) ? url : null;
}
