import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../pipeline/errors.ts';

/**
 * What changes nothing may be asked for from anywhere; without a CORS header of ours no page of another site can read
 * the answer.
 */
const harmless: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Writes that a browser sends on behalf of another site's page are refused, whatever cookies they carry. Programs that
 * are no browsers say nothing about where they come from, and are let through.
 * @param publicOrigin the configured origin, for proxies that change the host's name
 */
export function refuseCrossSite(app: FastifyInstance, publicOrigin: string | undefined): void {
  app.addHook('onRequest', async (request) => {
    if (!harmless.has(request.method) && isCrossSite(request, publicOrigin))
      throw new Refusal('forbidden', { message: 'This was sent by another site.' });
  });
}

/** By Fetch Metadata where the browser has it, else by `Origin`. */
export function isCrossSite(
  request: Pick<FastifyRequest, 'headers' | 'host'>,
  publicOrigin: string | undefined,
): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  if (origin === undefined) return false;
  return origin !== publicOrigin && hostOf(origin) !== request.host.toLowerCase();
}

/** With its port, as `Host` has it: what is usual for the scheme is left out by both. `null` is nobody's. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
