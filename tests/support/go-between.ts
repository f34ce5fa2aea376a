import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { Socket } from 'node:net';
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

/**
 * The product's answer, which stands still after so many bytes of its body, as one does that is not read, until
 * `cutHeld`.
 */
export interface Hold {
  readonly holdAfterBytes: number;
}

/**
 * What becomes of one request: an answer of its own, a cut, a hold, none ever (`silent`), or null, which passes it on.
 */
type Fate = Answer | Cut | Hold | 'silent' | null;

/** What stands between browser and product decides about each request. */
export type Interference = (path: string, headers: IncomingHttpHeaders) => Fate | Promise<Fate>;

/** A network that can misbehave: one address in front of the product, that also its service worker sees. */
export interface GoBetween {
  readonly address: string;
  /** Replaces what it does from the next request on. */
  interfere(interference: Interference): void;
  /** How many answers stand still. */
  countHeld(): number;
  /** Resets the connections of all answers that stand still. @returns the paths that they answer */
  cutHeld(): string[];
  close(): Promise<void>;
}

export async function startGoBetween(productAddress: string): Promise<GoBetween> {
  const port = await findFreePort();
  let interference: Interference = () => null;
  const held = new Map<Socket, string>();
  const server = createServer(async (incoming, outgoing) => {
    const answer = await interference(incoming.url ?? '/', incoming.headers);
    if (answer === 'silent') return;
    if (answer === null) return passOn(productAddress, incoming, outgoing);
    if ('cutAfterBytes' in answer)
      return passOn(productAddress, incoming, outgoing, {
        bytes: answer.cutAfterBytes,
        reached: (socket) => socket.destroySoon(),
      });
    if ('holdAfterBytes' in answer)
      return passOn(productAddress, incoming, outgoing, {
        bytes: answer.holdAfterBytes,
        reached: (socket) =>
          held.set(
            socket.once('close', () => held.delete(socket)),
            incoming.url ?? '/',
          ),
      });
    outgoing.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${port}`,
    interfere: (next) => {
      interference = next;
    },
    countHeld: () => held.size,
    cutHeld: () => {
      const paths = [...held.values()];
      for (const socket of [...held.keys()]) socket.resetAndDestroy();
      return paths;
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** So many bytes of a body, and what becomes of their connection then. */
interface Part {
  bytes: number;
  reached(socket: Socket): unknown;
}

/** Either side may leave in the middle of a video: that ends the other side's part too, and is no failure. */
async function passOn(
  productAddress: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  part?: Part,
): Promise<void> {
  const { method, headers, url } = incoming;
  const onward = request(`${productAddress}${url}`, { method, headers });
  outgoing.once('close', () => onward.destroy());
  onward.once('error', () => outgoing.destroy());
  onward.once('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    if (part === undefined) pipeline(answer, outgoing).catch(() => outgoing.destroy());
    else passPart(answer, outgoing, part);
  });
  await pipeline(incoming, onward).catch(() => onward.destroy());
}

function passPart(answer: IncomingMessage, outgoing: ServerResponse, { bytes, reached }: Part): void {
  let left = bytes;
  const noteReached = () => left <= 0 && outgoing.socket && reached(outgoing.socket);
  if (left <= 0) {
    outgoing.flushHeaders();
    noteReached();
  }
  answer.on('data', (chunk: Buffer) => {
    if (left <= 0) return;
    const part = chunk.subarray(0, left);
    left -= part.length;
    // What is written when the connection breaks must have left.
    outgoing.write(part, noteReached);
  });
  answer.once('end', () => left > 0 && outgoing.end());
  answer.once('error', () => outgoing.destroy());
}

/** Of each video the first answer stands still after so many bytes, until it is cut (`cutHeld`); later ones pass. */
export function holdFirstAnswers(between: GoBetween, holdAfterBytes: number): void {
  const asked = new Set<string>();
  between.interfere((path) => {
    if (!path.startsWith('/api/video/stream') || asked.has(path)) return null;
    asked.add(path);
    return { holdAfterBytes };
  });
}

/**
 * Holds all videos at a byte, however often they are asked for.
 * @returns cuts them, and lets everything pass from then on; gives the paths of those that stood still
 */
export function holdVideosAt(between: GoBetween, byte: number): () => string[] {
  between.interfere((path, { range }) => {
    if (!path.startsWith('/api/video/stream')) return null;
    const from = Number(/^bytes=(\d+)/.exec(range ?? '')?.[1] ?? 0);
    return { holdAfterBytes: Math.max(0, byte - from) };
  });
  return () => {
    between.interfere(() => null);
    return between.cutHeld();
  };
}
