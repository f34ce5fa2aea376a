import { BlockList, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The word by which a proxy may hide a client's address (RFC 7239 section 6.3). */
const unknown = 'unknown';

/**
 * The address by which attempts are counted: an IPv4 address, or the /64 network of an IPv6
 * address, which one customer usually owns. `X-Forwarded-For` is believed only from the proxies in
 * `TRUST_PROXY`; all values that are no address count as one.
 */
export function clientAddress(request: Pick<FastifyRequest, 'ip'>): string {
  const address = readAddress(request.ip ?? '') ?? unknown;
  return isIPv6(address) ? `${networkGroups(address).join(':')}::/64` : address;
}

/** The network of a client address, /24 or /48: one owner often has all of its addresses. */
export function clientNetwork(request: Pick<FastifyRequest, 'ip'>): string {
  const address = readAddress(request.ip ?? '') ?? unknown;
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  return isIPv6(address) ? `${networkGroups(address).slice(0, 3).join(':')}::/48` : address;
}

/** Whether an address belongs to this machine itself. */
export function isLoopback(address: string): boolean {
  return /^(::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address) || address === '::1';
}

/** More than the longest text of an address: `[0000:…:255.255.255.255%interface]:65535`. */
const longestText = 128;

/**
 * Reads the address that a socket or a proxy reports, and removes port, brackets, IPv4 mapping and
 * scope: `192.0.2.7:51234`, `[2001:db8::1]:443`, `::ffff:192.0.2.7`, `fe80::1%eth0`. Null for
 * anything else.
 */
export function readAddress(text: string): string | null {
  const given = text.trim();
  if (given === '' || given.length > longestText) return null;
  const bare = withoutPort(given.toLowerCase()).split('%', 1)[0] ?? '';
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? (mappedAddress(bare) ?? bare) : null;
}

/** The first four of the eight groups of an IPv6 address: its /64 network. */
function networkGroups(address: string): string[] {
  return groupsOf(address)
    .slice(0, 4)
    .map((group) => group.toString(16));
}

/** @param ranges addresses and networks: `192.0.2.7`, `10.0.0.0/8` */
export function matchRanges(ranges: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (text) => {
    const address = readAddress(text ?? '');
    return address !== null && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  };
}

const none: readonly string[] = [];

/**
 * Makes a check whether an address is a trusted proxy. It follows when administrators change the
 * proxies.
 */
export function trustedProxyCheck(env: {
  readonly trustedProxies?: readonly string[];
}): (address: string | undefined) => boolean {
  let ranges = env.trustedProxies ?? none;
  let isProxy = matchRanges(ranges);
  return (address) => {
    const { trustedProxies = none } = env;
    if (ranges !== trustedProxies) {
      ranges = trustedProxies;
      isProxy = matchRanges(ranges);
    }
    return ranges.length > 0 && isProxy(address);
  };
}

function withoutPort(text: string): string {
  if (text.startsWith('[')) return text.slice(1).split(']', 1)[0] ?? '';
  const [address = '', port, ...more] = text.split(':');
  return port !== undefined && more.length === 0 ? address : text;
}

/** The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), or null. */
function mappedAddress(address: string): string | null {
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : null;
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::', 2);
  const before = readGroups(head);
  const after = readGroups(tail ?? '');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<number>(missing).fill(0), ...after];
}

function readGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => (isIPv4(group) ? readQuads(group) : [Number.parseInt(group, 16)]));
}

function readQuads(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [(a << 8) | b, (c << 8) | d];
}
