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
import { certificateNames, isPubliclyTrusted, openCertificateFiles } from './tls-certificate.ts';

/** The https origin of the server. */
export interface SecureOrigin {
  /** Creates the server that the framework uses. It always presents the current certificate. */
  createServer(handler: RequestListener): Server;
  /** Names and addresses of the current certificate. */
  names(): readonly string[];
  isPubliclyTrusted(): boolean;
  /**
   * The authority that devices have to install, or null if the operator provides the certificate.
   */
  local: LocalCertificate | null;
  /** Checks for a new certificate and renews an expiring one. Never throws. */
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
 * Opens the https origin. Null without TLS.
 * @throws EnvRefused if there is no usable certificate
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
  return { names: certificateNames(present), isPubliclyTrusted: isPubliclyTrusted(present) };
}

function sayBeyond(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return `the local authority may not vouch for ${names.join(', ')}: use another name, or make a new authority (README, 'A secure address at home')`;
}

/**
 * Logs a warning only when it changes. The certificate is checked every ten seconds, and repeated
 * warnings would hide all others.
 */
function createRepeatGuard(log: Log): (message: string | null) => void {
  let last: string | null = null;
  return (message) => {
    if (message !== null && message !== last) log.warn(message);
    last = message;
  };
}

/** A server whose certificate can be replaced. New handshakes use the new one. */
interface SecureServer {
  /** The type by which the framework and `listen` know servers. */
  server: Server;
  use(certificate: TlsCertificate): void;
}

const handshakeMs = 10_000;
/** Open HTTP/2 streams of all connections: 250 viewers with eight each. */
const maxStreams = 2_048;
/** A stream that transfers nothing for this long is closed, even if others of its connection do. */
const silentStreamMs = 60_000;

/**
 * Limits of one HTTP/2 connection. Opening and resetting streams ("rapid reset") costs a client
 * nothing and the server one call each. Seeking in four videos resets about ten streams per second;
 * a client that exceeds the burst and the rate loses its connection. About thirty videos that a
 * client requests but does not read fill the session's memory; further streams are refused until it
 * reads some.
 */
const connectionLimits = {
  settings: { maxConcurrentStreams: 64, enablePush: false },
  maxSessionMemory: 10,
  maxSessionInvalidFrames: 50,
  maxSessionRejectedStreams: 50,
  streamResetBurst: 300,
  streamResetRate: 30,
};

/**
 * Adds what Node's HTTP/2 response lacks: `destroyed` tells when it is over, and `destroy` ends it
 * with an error. Without this, a response that is cut off would look complete.
 */
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

/** HTTP/2 if the client supports it, otherwise HTTP/1.1, over TLS 1.2 or later. */
function createSecureServer(certificate: TlsCertificate, handler: RequestListener): SecureServer {
  const options = {
    ...contextOf(certificate),
    ...connectionLimits,
    allowHTTP1: true,
    connectionsCheckingInterval: headersCheckMs,
    // A body may take any time as long as it makes progress, as without TLS.
    requestTimeout: 0,
    handshakeTimeout: handshakeMs,
    Http2ServerResponse: StreamAnswer,
  };
  // The framework's handler takes requests of both protocols, but its type names HTTP/1.1 only.
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

/** Adds `closeAllConnections`, which only HTTP/1.1 servers of Node have. */
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
