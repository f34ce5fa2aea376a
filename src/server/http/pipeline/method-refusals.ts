import type { FastifyInstance } from 'fastify';
import { Refusal } from './errors.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for the routes that only say which methods there are. */
    refusesMethod?: boolean;
  }
  interface FastifyInstance {
    /** The methods of each address, files apart. */
    allowedMethods: ReadonlyMap<string, ReadonlySet<string>>;
  }
}

/**
 * Collects the methods of every address from now on; the returned function makes the missing ones answer 405 with
 * `Allow`.
 */
export function watchMethods(app: FastifyInstance): () => void {
  const allowed = new Map<string, Set<string>>();
  app.decorate('allowedMethods', allowed);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.refusesMethod === true || url.includes('*')) return;
    const known = allowed.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    allowed.set(url, known);
  });
  return () => {
    for (const [url, known] of [...allowed]) refuseOthers(app, url, known);
  };
}

function refuseOthers(app: FastifyInstance, url: string, allowed: Set<string>): void {
  const headers = { allow: [...allowed].sort().join(', ') };
  app.route({
    method: methods.filter((method) => !allowed.has(method)),
    url,
    config: { refusesMethod: true },
    handler: async () => {
      throw new Refusal('method_not_allowed', { headers });
    },
  });
}
