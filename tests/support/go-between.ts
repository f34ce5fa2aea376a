import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { findFreePort } from './free-port.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What stands between browser and product answers a request itself, or passes it on with null. */
export type Interference = (path: string) => Answer | null | Promise<Answer | null>;

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
    const answer = await interference(incoming.url ?? '/');
    if (answer === null) return passOn(productAddress, incoming, outgoing);
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
async function passOn(productAddress: string, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, headers, url } = incoming;
  const onward = request(`${productAddress}${url}`, { method, headers });
  outgoing.once('close', () => onward.destroy());
  onward.once('error', () => outgoing.destroy());
  onward.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, outgoing).catch(() => outgoing.destroy());
  });
  await pipeline(incoming, onward).catch(() => onward.destroy());
}
