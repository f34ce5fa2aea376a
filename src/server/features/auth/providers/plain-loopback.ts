import { isLoopback } from '../../../http/addresses/client-address.ts';

/** A provider on this very machine may speak plain http; certificates of all others are always checked. */
export function isPlainLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && (hostname === 'localhost' || isLoopback(hostname.replace(/^\[|\]$/g, '')));
}
