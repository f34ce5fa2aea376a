import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { findFreePort } from './free-port.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The product's answer, whose connection breaks after so many bytes of its body. */
export interface Cut {
  readonly cutAfterBytes: number;
}

/** What becomes of one request: an answer of its own, a cut, none ever (`silent`), or null, which passes it on. */
type Fate = Answer | Cut | 'silent' | null;

/** What stands between browser and product decides about each request. */
export type Interference = (path: string, headers: IncomingHttpHeaders) => Fate | Promise<Fate>;

/** A network that can misbehave: one address in front of the product, that also its service worker sees. */
export interface GoBetween {
  readonly address: string;
  /** Replaces what it does from the next request on. */
  interfere(interference: Interference): void;
  close(): Promise<void>;
}

export async function startGoBetween(productAddress: string): Promise<GoBetween> {
  const port = await findFreePort();
  let interference: Interference = () => null;
  const server = createServer(async (incoming, outgoing) => {
    const answer = await interference(incoming.url ?? '/', incoming.headers);
    if (answer === 'silent') return;
    if (answer === null) return passOn(productAddress, incoming, outgoing);
    if ('cutAfterBytes' in answer) return passOn(productAddress, incoming, outgoing, answer.cutAfterBytes);
    outgoing.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${port}`,
    interfere: (next) => {
      interference = next;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Either side may leave in the middle of a video: that ends the other side's part too, and is no failure. */
async function passOn(productAddress: string, incoming: IncomingMessage, outgoing: ServerResponse, cutAfterBytes?: number): Promise<void> {
  const { method, headers, url } = incoming;
  const onward = request(`${productAddress}${url}`, { method, headers });
  outgoing.once('close', () => onward.destroy());
  onward.once('error', () => outgoing.destroy());
  onward.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (cutAfterBytes === undefined) pipeline(answer, outgoing).catch(() => outgoing.destroy());
    else passUntilCut(answer, outgoing, cutAfterBytes);
  });
  await pipeline(incoming, onward).catch(() => onward.destroy());
}

function passUntilCut(answer: IncomingMessage, outgoing: ServerResponse, cutAfterBytes: number): void {
  let left = cutAfterBytes;
  answer.on('data', (chunk: Buffer) => {
    if (left <= 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    // What is written when the connection breaks must have left.
    outgoing.write(part, () => left <= 0 && outgoing.socket?.destroySoon());
  });
  answer.once('end', () => outgoing.end());
  answer.once('error', () => outgoing.destroy());
}
