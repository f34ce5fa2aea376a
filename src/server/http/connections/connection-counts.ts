import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

export interface ConnectionCounts {
  /** Open connections of one address: 100 viewers behind one have six each. */
  perAddress: number;
  /** Open connections of all addresses together. */
  total: number;
  /** Addresses that are a proxy's or this machine's own: everybody comes from there. */
  isTrusted(address: string): boolean;
}

/** Files, the database and programs need some too. */
const shareOfDescriptors = 0.75;

/** @returns as many as are asked for, or as the descriptors of this process allow */
export function affordableConnections(wanted: number): number {
  return Math.min(wanted, Math.floor(maxDescriptors() * shareOfDescriptors));
}

/** Node raises its own limit to the hard one at its start. */
function maxDescriptors(): number {
  try {
    const [, most] = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Refuses connections beyond those that an address may have. When all together are too many, the oldest of the address
 * that has the most makes room for one that has fewer, so that a few addresses with many connections lock nobody out.
 */
export function countConnections({ perAddress, total, isTrusted }: ConnectionCounts): (socket: Socket) => void {
  /** Of addresses that are not trusted; the oldest first. */
  const byAddress = new Map<string, Set<Socket>>();
  let open = 0;

  function forget(socket: Socket, owner: string | null): void {
    const sockets = owner === null ? undefined : byAddress.get(owner);
    if (owner !== null && !sockets?.delete(socket)) return;
    open -= 1;
    if (owner !== null && sockets?.size === 0) byAddress.delete(owner);
  }

  function makeRoom(forOneWith: number): boolean {
    let [most, sockets]: [string | null, Set<Socket>] = [null, new Set()];
    for (const [owner, candidates] of byAddress)
      if (candidates.size > sockets.size) [most, sockets] = [owner, candidates];
    const [oldest] = sockets;
    if (oldest === undefined || sockets.size <= forOneWith + 1) return false;
    forget(oldest, most);
    oldest.destroy();
    return true;
  }

  return (socket) => {
    const { remoteAddress } = socket;
    // It has gone already.
    if (remoteAddress === undefined) return;
    const owner = isTrusted(remoteAddress) ? null : networkOf(remoteAddress);
    const own = owner === null ? null : (byAddress.get(owner) ?? new Set());
    const has = own?.size ?? 0;
    if ((own !== null && has >= perAddress) || (open >= total && !makeRoom(has))) {
      socket.destroy();
      return;
    }
    open += 1;
    if (owner !== null && own !== null) byAddress.set(owner, own.add(socket));
    socket.once('close', () => forget(socket, owner));
  };
}

/** Whoever has one IPv6 address has all of its /64. */
export function networkOf(address: string): string {
  const plain = withoutMapping(address);
  if (!plain.includes(':')) return plain;
  const [front = '', back] = plain.split('::', 2);
  const groups = front === '' ? [] : front.split(':');
  const behind = back === undefined || back === '' ? [] : back.split(':');
  const missing = back === undefined ? 0 : 8 - groups.length - behind.length;
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...behind].slice(0, 4).join(':');
}

export function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
