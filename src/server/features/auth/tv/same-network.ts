import { isIP } from 'node:net';
import { clientAddress, isLoopback } from '../../../http/addresses/client-address.ts';
import { matchRanges } from '../../../http/addresses/ip-address.ts';

/** RFC 1918, RFC 4193 and link-local addresses: they come from the network that the server itself is in. */
const isHome = matchRanges([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);

/**
 * Whether two addresses are of one household; null where that cannot be told: behind a proxy on this machine, or one of
 * each protocol.
 */
export function areOfOneNetwork(one: string, other: string): boolean | null {
  if (isLoopback(one) || isLoopback(other) || isIP(one) === 0 || isIP(other) === 0) return null;
  if (isHome(one) && isHome(other)) return true;
  if (isIP(one) !== isIP(other)) return null;
  return clientAddress({ ip: one }) === clientAddress({ ip: other });
}
