import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { repeat } from '../../repeat.ts';
import type { ConnectionCounts } from './connection-counts.ts';
import { affordableConnections, countConnections, withoutMapping } from './connection-counts.ts';

/** What one connection may cost before it has asked for anything, and while it does not go on. */
export interface ConnectionLimits extends ConnectionCounts {
  /** From the first byte of a request, or from connecting, to the end of its head. */
  headersMs: number;
  /** Silence in both directions; a player that has enough for now falls silent too and comes back with a new range. */
  idleMs: number;
  /** A body has to bring `bodyBytes` within each such time. */
  bodyMs: number;
  bodyBytes: number;
}

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  bodyBytes: 1_024,
  perAddress: 1_024,
  total: affordableConnections(8_192),
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

/**
 * Keeps connections that dawdle, and addresses that open too many, from costing the others anything. Call before
 * listening.
 */
export function limitConnections(server: LimitedServer, limits: ConnectionLimits = connectionLimits): void {
  server.headersTimeout = limits.headersMs;
  server.keepAliveTimeout = limits.idleMs;
  server.setTimeout(limits.idleMs);
  // The plain TCP connection: one that has not finished its TLS handshake counts too.
  server.on('connection', countConnections(limits));
  server.on('request', (request: IncomingMessage) => watchBody(request, limits));
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
  // A connection lives on after its requests.
  const end = () => {
    watch.stop();
    for (const ended of [request, socket]) ended.off('close', end);
  };
  for (const ended of [request, socket]) ended.on('close', end);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function isOfThisMachine(address: string): boolean {
  return address === '::1' || withoutMapping(address).startsWith('127.');
}
