import type { FastifyInstance } from 'fastify';
import { readEncodingOverview } from '#contract/endpoints.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Encodings } from './encodings.ts';

/** The overview of encodings for administrators. */
export function encodingRoutes(
  app: FastifyInstance,
  { encodings }: { encodings: Pick<Encodings, 'readOverview'> },
): void {
  route(app, readEncodingOverview, {}, async () => encodings.readOverview());
}
