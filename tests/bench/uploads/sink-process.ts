import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';

/*
 * A server that throws away whatever is sent to it, over HTTP/1.1 and HTTP/2, and lets it come as fast as it can.
 * Arguments: the files of its certificate and key. It sends its port to its parent.
 */
const [cert = '', key = ''] = process.argv.slice(2);
const windowBytes = 64 * 1024 * 1024;

function swallow(request: IncomingMessage | Http2ServerRequest, reply: ServerResponse | Http2ServerResponse): void {
  const answer = () => void (reply as ServerResponse).writeHead(201).end();
  request.once('end', answer).resume();
}

const server = createSecureServer(
  {
    cert: readFileSync(cert),
    key: readFileSync(key),
    allowHTTP1: true,
    settings: { initialWindowSize: windowBytes },
  },
  swallow,
);
server.on('session', (session) => session.setLocalWindowSize(windowBytes));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
