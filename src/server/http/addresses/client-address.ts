import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { networkGroups, readAddress } from './ip-address.ts';

/** What a proxy may write for a client that it does not want to name (RFC 7239 section 6.3). */
const unknown = 'unknown';

/**
 * What counts as one address when tries are counted: an IPv4 address, or the half of an IPv6 address that a customer
 * gets (/64). A proxy's word for it is taken from those that `TRUST_PROXY` names alone; whatever it says that is no
 * address counts as one.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip'>): string {
  const address = readAddress(request.ip ?? '') ?? unknown;
  return isIPv6(address) ? `${networkGroups(address).join(':')}::/64` : address;
}

/** The network around a client address: what one owner of many addresses usually has, /24 or /48. */
export function clientNetwork(request: Pick<FastifyRequest, 'ip'>): string {
  const address = readAddress(request.ip ?? '') ?? unknown;
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  return isIPv6(address) ? `${networkGroups(address).slice(0, 3).join(':')}::/48` : address;
}

/** From this machine itself. */
export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';
}
