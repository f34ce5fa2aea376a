import type { RequestListener, Server } from 'node:http';
import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Stream } from 'node:http2';
import { constants, createSecureServer as createHttp2Server, Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { headersCheckMs } from '../http/connections/connection-limits.ts';
import { countStreams } from '../http/connections/stream-counts.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/** A server that shows another certificate from the next handshake on. */
export interface SecureServer {
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
export function createSecureServer(certificate: TlsCertificate, handler: RequestListener): SecureServer {
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
