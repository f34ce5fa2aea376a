import type { IncomingMessage } from 'node:http';
import type { Http2Session } from 'node:http2';
import { Http2ServerRequest } from 'node:http2';

/**
 * What a client may send ahead. The usual 64 KiB would be 5 Mbit/s at 100 ms. Of what has been read the client hears when
 * it is half of this, so that it has to be far more than what TCP keeps on its way.
 */
const windowBytes = 16 * 1024 * 1024;
/** Of the whole connection, which all its streams share. */
const connectionWindowBytes = 32 * 1024 * 1024;

const raised = new WeakSet<Http2Session>();

/**
 * Lets the connection of somebody who may upload bring more at a time. The window belongs to all streams of a connection:
 * for everybody it would be memory that anybody can take.
 */
export function raiseWindow(request: IncomingMessage | Http2ServerRequest): void {
  if (!(request instanceof Http2ServerRequest)) return;
  const { session } = request.stream;
  if (session === undefined || session.destroyed || raised.has(session)) return;
  raised.add(session);
  session.setLocalWindowSize(connectionWindowBytes);
  session.settings({ initialWindowSize: windowBytes });
}
