import type { FastifyInstance } from 'fastify';
import { readHealth, readReadiness } from '#contract/endpoints.ts';
import { Refusal } from './errors.ts';
import { loopbackNames } from './local-names.ts';

/** Monitors ask by address. */
const anyHost: ReadonlySet<string> = new Set([readHealth.path, readReadiness.path]);

/**
 * Answers to no other name than the site's own, so that another site cannot have its name lead here. Loopback is always a name of its own.
 * @param names lower case, without ports; empty: any
 */
export function answerOwnHosts(app: FastifyInstance, names: readonly string[], publicOrigin: string | undefined): void {
  if (names.length === 0) return;
  const publicName = publicOrigin === undefined ? [] : [new URL(publicOrigin).hostname];
  const own = new Set([...names, ...loopbackNames, ...publicName]);
  app.addHook('onRequest', async (request) => {
    const name = request.hostname.toLowerCase().replace(/^\[|\]$/g, '');
    if (!own.has(name) && !anyHost.has(request.url)) throw new Refusal('bad_host');
  });
}
