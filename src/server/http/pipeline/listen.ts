import type { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { repeat } from '../../repeat.ts';
import { trustedProxyCheck } from '../client-address.ts';
import { connectionLimits, limitConnections } from '../connections/connection-limits.ts';

/**
 * Milliseconds from the order to stop until running videos are cut, and until all connections are
 * closed. The total stays below the 10 s that a supervisor waits.
 */
const stopPlan = { streamsEnd: 3_000, everythingEnds: 8_000, idleCheck: 100 };

/** @returns the port, chosen by the system when 0 was asked for */
export async function listen(
  app: FastifyInstance,
  env: { host: string; port: number; trustedProxies?: readonly string[] },
): Promise<number> {
  // A proxy brings all visitors' connections from one address.
  const isProxy = trustedProxyCheck(env);
  limitConnections(app.server, {
    ...connectionLimits,
    isTrusted: (address) => connectionLimits.isTrusted(address) || isProxy(address),
  });
  const { host, port } = env;
  await app.listen({ host, port });
  // A connection could not be accepted because no descriptors are left; existing ones go on.
  app.server.on('error', (err) => app.log.warn({ err }, 'a connection could not be accepted'));
  return portOf(app.server) ?? port;
}

/** The port that a server listens on; null while it does not listen. */
export function portOf(server: Pick<Server, 'address'>): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

/**
 * Accepts no new requests, finishes short ones, lets videos run a moment, then closes everything.
 */
export async function stopGently(app: FastifyInstance, streams: OpenStreams): Promise<void> {
  const timers = [
    setTimeout(() => streams.cutAll(), stopPlan.streamsEnd),
    setTimeout(() => app.server.closeAllConnections(), stopPlan.everythingEnds),
  ];
  // Keep-alive connections stay open after their call, and `app.close` would wait for them.
  const closing = repeat(() => app.server.closeIdleConnections(), stopPlan.idleCheck);
  try {
    await app.close();
  } finally {
    closing.stop();
    for (const timer of timers) clearTimeout(timer);
  }
}

/** The answers that are sending bytes now; stopping the server cuts them. */
export interface OpenStreams {
  readonly size: number;
  /** @returns a function to call when the stream has ended */
  add(cut: () => void): () => void;
  cutAll(): void;
}

export function createOpenStreams(): OpenStreams {
  const cuts = new Set<() => void>();
  return {
    get size() {
      return cuts.size;
    },
    add(cut) {
      cuts.add(cut);
      return () => cuts.delete(cut);
    },
    cutAll() {
      for (const cut of cuts) cut();
    },
  };
}
