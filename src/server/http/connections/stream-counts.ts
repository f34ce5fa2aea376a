import type { Http2SecureServer, Http2Session, ServerHttp2Stream } from 'node:http2';
import { constants } from 'node:http2';
import { networkOf } from './connection-counts.ts';

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
