import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { repeat } from '../repeat.ts';

/** What one connection may cost before it has asked for anything, and while it does not go on. */
export interface ConnectionLimits {
  /** From the first byte of a request, or from connecting, to the end of its head. */
  headersMs: number;
  /** Silence in both directions; a player that has enough for now falls silent too and comes back with a new range. */
  idleMs: number;
  /** A body has to bring `bodyBytes` within each such time. */
  bodyMs: number;
  bodyBytes: number;
  /** Open connections of one address. */
  perAddress: number;
  /** Addresses without such a limit: everybody comes from a proxy. */
  isTrusted(address: string): boolean;
}

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  bodyBytes: 1_024,
  perAddress: 512,
  isTrusted: isOfThisMachine,
};

/** How often the server looks for heads that take too long; an option of its constructor. */
export const headersCheckMs = 1_000;

/** The parts of an HTTP server, with or without TLS, that matter here. */
interface LimitedServer extends EventEmitter {
  headersTimeout?: number;
  keepAliveTimeout?: number;
  setTimeout(ms: number): unknown;
}

/** Keeps connections that dawdle, and addresses that open too many, from costing the others anything. Call before listening. */
export function limitConnections(server: LimitedServer, limits: ConnectionLimits = connectionLimits): void {
  server.headersTimeout = limits.headersMs;
  server.keepAliveTimeout = limits.idleMs;
  server.setTimeout(limits.idleMs);
  // The plain TCP connection: one that has not finished its TLS handshake counts too.
  server.on('connection', limitPerAddress(limits));
  server.on('request', (request: IncomingMessage) => watchBody(request, limits));
}

function limitPerAddress({ perAddress, isTrusted }: ConnectionLimits): (socket: Socket) => void {
  const counts = new Map<string, number>();
  return (socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const owner = networkOf(remoteAddress);
    const count = (counts.get(owner) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    counts.set(owner, count);
    socket.once('close', () => {
      const left = (counts.get(owner) ?? 0) - 1;
      if (left > 0) counts.set(owner, left);
      else counts.delete(owner);
    });
  };
}

/** A body that trickles in never falls silent. */
function watchBody(request: IncomingMessage, { bodyMs, bodyBytes }: ConnectionLimits): void {
  const { socket } = request;
  if (request.complete || !hasBody(request)) return;
  let before = socket.bytesRead;
  const watch = repeat(() => {
    if (request.complete) watch.stop();
    else if (socket.bytesRead - before < bodyBytes) socket.destroy();
    before = socket.bytesRead;
  }, bodyMs);
  request.once('close', watch.stop);
  socket.once('close', watch.stop);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isOfThisMachine(address: string): boolean {
  return address === '::1' || withoutMapping(address).startsWith('127.');
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

function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}
