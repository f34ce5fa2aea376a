import type { RequestListener, Server } from 'node:http';
import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Stream } from 'node:http2';
import { constants, createSecureServer as createHttp2Server, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../clock.ts';
import type { Env } from '../env.ts';
import { countStreams, headersCheckMs } from '../http/connections/connection-limits.ts';
import type { Log } from '../log.ts';
import { repeat } from '../repeat.ts';
import type { LocalCertificate, LocalHost } from './local-certificate.ts';
import { openLocalCertificate } from './local-certificate.ts';
import type { CertificateSource, TlsCertificate } from './tls-certificate.ts';
import { isPubliclyTrusted, namesOf, openCertificateFiles } from './tls-certificate.ts';

/** The https side of the server. */
export interface SecureOrigin {
  /** For the framework: a server that always shows the present certificate. */
  createServer(handler: RequestListener): Server;
  /** Names and addresses that the present certificate vouches for. */
  names(): readonly string[];
  isPubliclyTrusted(): boolean;
  /** What devices have to install first; null when the operator brought a certificate. */
  local: LocalCertificate | null;
  /** Looks for another certificate, and renews. Never throws. */
  refresh(): Promise<void>;
  close(): void;
}

export interface SecureOriginDeps {
  clock: Clock;
  log: Log;
  readHost?: () => LocalHost;
}

const refreshMs = 10_000;

const thisHost = (): LocalHost => ({ hostname: hostname(), interfaces: networkInterfaces() });

/**
 * Null without TLS.
 * @throws EnvRefused when there is no usable certificate
 */
export async function openSecureOrigin(
  env: Pick<Env, 'tls' | 'dataFolder'>,
  { clock, log, readHost = thisHost }: SecureOriginDeps,
): Promise<SecureOrigin | null> {
  const { tls } = env;
  if (tls.kind === 'off') return null;
  if (tls.kind === 'files') return keepFresh(await openCertificateFiles(tls), null, log);
  const local = await openLocalCertificate({
    folder: join(env.dataFolder, 'tls'),
    clock,
    readHost,
    addedNames: tls.names,
  });
  return keepFresh(local, local, log);
}

function keepFresh(source: CertificateSource, local: LocalCertificate | null, log: Log): SecureOrigin {
  const servers: SecureServer[] = [];
  const warn = createRepeatGuard(log);
  let facts = factsOf(source);

  const look = async () => {
    try {
      if (await source.refresh()) {
        facts = factsOf(source);
        for (const server of servers) server.use(source.current());
        log.info({ names: facts.names }, 'another certificate is in use');
      }
      warn(sayBeyond(local?.beyond() ?? []));
    } catch (error) {
      warn(
        `the certificate in use stays, as the new one cannot be taken: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  let looking: Promise<void> | null = null;
  const refresh = () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
  const refreshing = repeat(refresh, refreshMs);
  warn(sayBeyond(local?.beyond() ?? []));
  const suffixes = local?.publicSuffixes ?? [];
  if (suffixes.length > 0)
    log.warn(
      `the local authority may vouch for all names below ${suffixes.join(', ')}: move DATA_DIR/tls away, and install the new authority on each device in place of the old one`,
    );

  return {
    createServer(handler) {
      const server = createSecureServer(source.current(), handler);
      servers.push(server);
      return server.server;
    },
    names: () => facts.names,
    isPubliclyTrusted: () => facts.isPubliclyTrusted,
    local,
    refresh,
    close: refreshing.stop,
  };
}

function factsOf(source: CertificateSource) {
  const present = source.current();
  return { names: namesOf(present), isPubliclyTrusted: isPubliclyTrusted(present) };
}

function sayBeyond(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return `the local authority may not vouch for ${names.join(', ')}: use another name, or make a new authority (README, 'A secure address at home')`;
}

/** The same warning every ten seconds would hide all others. */
function createRepeatGuard(log: Log): (message: string | null) => void {
  let last: string | null = null;
  return (message) => {
    if (message !== null && message !== last) log.warn(message);
    last = message;
  };
}

/** A server that shows another certificate from the next handshake on. */
interface SecureServer {
  /** As the framework and `listen` know servers. */
  server: Server;
  use(certificate: TlsCertificate): void;
}

const handshakeMs = 10_000;
/** Open calls of all connections: 250 viewers with eight each. */
const maxStreams = 2_048;
/** As in `listen`: one stream that takes nothing while others of its connection go on. */
const silentStreamMs = 60_000;

/**
 * What one connection may do. Opening streams only to reset them ("rapid reset") costs a client nothing and the server
 * a call each: seeking in four videos resets some ten in a second, and who goes beyond burst and rate loses the
 * connection. Some thirty videos that are asked for and not taken fill a connection's memory; further calls on it are
 * refused until some are taken.
 */
const connectionLimits = {
  settings: { maxConcurrentStreams: 64, enablePush: false },
  maxSessionMemory: 10,
  maxSessionInvalidFrames: 50,
  maxSessionRejectedStreams: 50,
  streamResetBurst: 300,
  streamResetRate: 30,
};

/** Node's HTTP/2 answers do not say when they are over, and end a cut one as if it were whole. */
class StreamAnswer extends Http2ServerResponse<Http2ServerRequest> {
  // @ts-expect-error Declared as a field of Writable, which this class is not at run time.
  get destroyed(): boolean {
    return this.stream.destroyed || this.stream.closed;
  }

  override destroy(): this {
    this.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return this;
  }
}

/** HTTP/2 where the client speaks it, else HTTP/1.1, over TLS 1.2 and later. */
function createSecureServer(certificate: TlsCertificate, handler: RequestListener): SecureServer {
  const options = {
    ...contextOf(certificate),
    ...connectionLimits,
    allowHTTP1: true,
    connectionsCheckingInterval: headersCheckMs,
    // As without TLS: a body that moves may take as long as it takes.
    requestTimeout: 0,
    handshakeTimeout: handshakeMs,
    Http2ServerResponse: StreamAnswer,
  };
  // The framework's handler takes requests of either protocol; its type names the older one only.
  const server = createHttp2Server(options, handler as never);
  countStreams(server, maxStreams);
  server.on('stream', (stream: ServerHttp2Stream) =>
    stream.setTimeout(silentStreamMs, () => stream.close(constants.NGHTTP2_CANCEL)),
  );
  return { server: addForcedEnd(server) as unknown as Server, use: (next) => server.setSecureContext(contextOf(next)) };
}

function contextOf({ cert, key }: TlsCertificate): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2' };
}

/** `closeAllConnections`, which servers of HTTP/1.1 have of their own. */
function addForcedEnd(server: Http2SecureServer): Http2SecureServer {
  const sockets = new Set<Socket>();
  const follow = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  server.on('connection', follow).on('secureConnection', follow);
  return Object.assign(server, {
    closeAllConnections() {
      for (const socket of sockets) socket.destroy();
    },
  });
}
