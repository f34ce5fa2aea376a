import type { FastifyRequest } from 'fastify';
import type { AuthDeps } from './auth-deps.ts';

/** The origin by which other devices reach the site: the configured one, else the one that this request came by. */
export function siteOriginFor(
  { publicOrigin, originForOthers }: Pick<AuthDeps, 'publicOrigin' | 'originForOthers'>,
  request: FastifyRequest,
): string {
  // A proxy that is believed may pass on what a client says of the scheme.
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  return originForOthers(publicOrigin ?? `${scheme}://${request.host}`);
}
