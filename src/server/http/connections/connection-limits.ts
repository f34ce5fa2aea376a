import type { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Http2SecureServer, Http2Session, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import type { Socket } from 'node:net';
import { repeat } from '../../repeat.ts';

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

/** Files, the database and programs need some too. */
const shareOfDescriptors = 0.75;

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

interface ConnectionCounts {
  /** Open connections of one address: 100 viewers behind one have six each. */
  perAddress: number;
  /** Open connections of all addresses together. */
  total: number;
  /** Addresses that are a proxy's or this machine's own: everybody comes from there. */
  isTrusted(address: string): boolean;
}

/** @returns as many as are asked for, or as the descriptors of this process allow */
function affordableConnections(wanted: number): number {
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
function countConnections({ perAddress, total, isTrusted }: ConnectionCounts): (socket: Socket) => void {
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

function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/** One HTTP/2 connection with the calls that it has open. */
interface OpenSession {
  session: Http2Session;
  network: string;
  streams: number;
}

/**
 * A call that is not answered to its end costs some 20 KB, and a client that shuts its windows keeps as many open as it
 * likes. When all connections together have too many open, one is ended: of the address that has the most open, the
 * connection that has the most. What its browser still wants it asks for again.
 * @param most open calls of all HTTP/2 connections
 */
export function countStreams(server: Http2SecureServer, most: number): void {
  const sessions = new Map<Http2Session, OpenSession>();
  let open = 0;

  server.on('session', (session) => {
    sessions.set(session, { session, network: networkOf(session.socket.remoteAddress ?? ''), streams: 0 });
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
    const byNetwork = Map.groupBy(sessions.values(), ({ network }) => network);
    const [largest] = [...byNetwork.values()].sort((a, b) => streamsOf(b) - streamsOf(a));
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
 * Requests of one HTTP/1.1 connection that wait for their answers. Browsers and proxies send one at a time, few
 * programs some.
 */
export const maxPipelined = 16;

/**
 * Cuts connections that send many requests without waiting for an answer: Node parses all that came in one packet at
 * once, and everybody else would wait until the last of a thousand is handled. HTTP/2 has its own limits.
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
    // What came with the request that was one too many is not handled either.
    if (socket.destroyed) return;
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    handler(request, response);
  };
}

function isHttp2({ httpVersionMajor }: IncomingMessage): boolean {
  return httpVersionMajor === 2;
}
