import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';

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
