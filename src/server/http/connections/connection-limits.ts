import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Http2SecureServer, Http2Session, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { Shares } from '../../limits/shares.ts';
import { repeat } from '../../repeat.ts';
import { clientAddress, isLoopback } from '../client-address.ts';

/** The limits of a connection that sends no complete request, or sends or takes no data. */
export interface ConnectionLimits extends ConnectionCounts {
  /** The time from connecting, or from the first byte of a request, to the end of its head. */
  headersMs: number;
  /**
   * The time without data in both directions. A player that has buffered enough is idle too, and
   * comes back with a new range.
   */
  idleMs: number;
  /** A body has to bring `bodyBytes` within each period of this length. */
  bodyMs: number;
  bodyBytes: number;
}

/** The rest is for files, the database and other programs. */
const shareOfDescriptors = 0.75;

export const connectionLimits: ConnectionLimits = {
  headersMs: 10_000,
  idleMs: 60_000,
  bodyMs: 30_000,
  bodyBytes: 1_024,
  perAddress: 1_024,
  total: affordableConnections(8_192),
  isTrusted: isLoopback,
};

/** The interval of the server's check for slow request heads; an option of its constructor. */
export const headersCheckMs = 1_000;

/** The members of an HTTP server that are used here, with or without TLS. */
interface LimitedServer extends EventEmitter {
  headersTimeout?: number;
  keepAliveTimeout?: number;
  setTimeout(ms: number): unknown;
}

/**
 * Limits slow connections, and addresses that open too many, so that they cost others nothing. Call
 * it before listening.
 */
export function limitConnections(server: LimitedServer, limits: ConnectionLimits = connectionLimits): void {
  server.headersTimeout = limits.headersMs;
  server.keepAliveTimeout = limits.idleMs;
  server.setTimeout(limits.idleMs);
  // The plain TCP connection is counted, so that unfinished TLS handshakes count too.
  server.on('connection', countConnections(limits));
  server.on('request', (request: IncomingMessage) => watchBody(request, limits));
}

/** Ends a connection whose body comes too slowly: a trickling body is never idle. */
function watchBody(request: IncomingMessage, { bodyMs, bodyBytes }: ConnectionLimits): void {
  const { socket } = request;
  if (request.complete || !hasBody(request)) return;
  let before = socket.bytesRead;
  const watch = repeat(() => {
    if (request.complete) watch.stop();
    else if (socket.bytesRead - before < bodyBytes) socket.destroy();
    before = socket.bytesRead;
  }, bodyMs);
  // The connection may outlive the request, so the listeners on both are removed.
  const end = () => {
    watch.stop();
    for (const ended of [request, socket]) ended.off('close', end);
  };
  for (const ended of [request, socket]) ended.on('close', end);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

interface ConnectionCounts {
  /** Open connections of one address: 100 viewers behind one address have six each. */
  perAddress: number;
  /** Open connections of all addresses together. */
  total: number;
  /** Whether an address is a proxy's or this machine's own: all visitors may come from there. */
  isTrusted(address: string): boolean;
}

/** @returns the wanted number, or fewer if this process has too few descriptors */
function affordableConnections(wanted: number): number {
  return Math.min(wanted, Math.floor(maxDescriptors() * shareOfDescriptors));
}

/** The hard limit of open files: Node raises its own limit to it at startup. */
function maxDescriptors(): number {
  try {
    const [, most] = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Refuses connections beyond the limit of an address. When the total is too high, the oldest
 * connection of the address with the most is closed, in favour of one with fewer, so that a few
 * addresses with many connections lock nobody out.
 */
function countConnections({ perAddress, total, isTrusted }: ConnectionCounts): (socket: Socket) => void {
  const open = new Shares<Socket>({ total, perAddress });

  function makeRoom(forOneWith: number): boolean {
    const most = open.largest('address');
    const [oldest] = most;
    if (oldest === undefined || most.size <= forOneWith + 1) return false;
    open.remove(oldest);
    oldest.destroy();
    return true;
  }

  return (socket) => {
    const { remoteAddress } = socket;
    // The client has disconnected already.
    if (remoteAddress === undefined) return;
    const address = isTrusted(remoteAddress) ? null : clientAddress({ ip: remoteAddress });
    const full = open.findFull({ address });
    if (full !== null && (full.of === 'address' || !makeRoom(open.count('address', address)))) {
      socket.destroy();
      return;
    }
    open.add(socket, { address });
    socket.once('close', () => open.remove(socket));
  };
}

/** One HTTP/2 connection and the number of its open streams. */
interface OpenSession {
  session: Http2Session;
  address: string;
  streams: number;
}

/**
 * Limits the open streams of all HTTP/2 connections. An unfinished call costs some 20 KB, and a
 * client that closes its flow-control windows can keep any number open. When there are too many,
 * the busiest connection of the busiest address is ended; its browser asks again for what it still
 * needs.
 * @param most open streams of all HTTP/2 connections
 */
export function countStreams(server: Http2SecureServer, most: number): void {
  const sessions = new Map<Http2Session, OpenSession>();
  let open = 0;

  server.on('session', (session) => {
    const address = clientAddress({ ip: session.socket.remoteAddress ?? '' });
    sessions.set(session, { session, address, streams: 0 });
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream) => {
    const owner = stream.session === undefined ? undefined : sessions.get(stream.session);
    if (owner === undefined) return;
    owner.streams += 1;
    open += 1;
    stream.once('close', () => {
      owner.streams -= 1;
      open -= 1;
    });
    if (open > most) endLargest();
  });

  function endLargest(): void {
    const byAddress = Map.groupBy(sessions.values(), ({ address }) => address);
    const [largest] = [...byAddress.values()].sort((a, b) => streamsOf(b) - streamsOf(a));
    const [target] = [...(largest ?? [])].sort((a, b) => b.streams - a.streams);
    if (target === undefined) return;
    sessions.delete(target.session);
    target.session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    target.session.destroy();
  }
}

function streamsOf(sessions: readonly OpenSession[]): number {
  return sessions.reduce((sum, { streams }) => sum + streams, 0);
}

/**
 * The most requests of one HTTP/1.1 connection that wait for their answers. Browsers and proxies
 * send one at a time, other programs rarely more than a few.
 */
export const maxPipelined = 16;

/**
 * Closes connections that send many requests without waiting for an answer: Node parses everything
 * in one packet at once, and all other clients would wait until a thousand requests are handled.
 * HTTP/2 has its own limits.
 */
export function limitPipelining(handler: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    if (isHttp2(request)) {
      handler(request, response);
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > maxPipelined) socket.destroy();
    // The requests that arrived together with the one too many are not handled either.
    if (socket.destroyed) return;
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    handler(request, response);
  };
}

function isHttp2({ httpVersionMajor }: IncomingMessage): boolean {
  return httpVersionMajor === 2;
}
