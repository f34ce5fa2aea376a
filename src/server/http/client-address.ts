import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/**
 * What counts as one address when tries are counted: an IPv4 address, or the half of an IPv6 address that a customer gets (/64).
 * A proxy's word for it is taken with `TRUST_PROXY` alone.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip'>): string {
  const address = request.ip.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return isIPv6(address) ? `${expand(address).slice(0, 4).join(':')}::/64` : address;
}

/** From this machine itself. */
export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';
}

/** `fe80::1` as its eight groups, of which only the first four are asked for. */
function expand(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array.from({ length: missing }, () => '0'), ...after];
}
