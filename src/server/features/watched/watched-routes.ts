import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { watchedListQuerySchema, watchedReportSchema } from '#contract/entities/watched.ts';
import { route } from '../../http/pipeline/route.ts';

/** The endpoints for what somebody has watched. */
export function watchedRoutes(app: FastifyInstance): void {
  route(app, endpoints.recordWatched, { body: watchedReportSchema }, async () => null);

  route(app, endpoints.listWatched, { query: watchedListQuerySchema }, async ({ query: { page, limit } }) => ({
    watched: [],
    total: 0,
    total_pages: 1,
    page,
    limit,
  }));

  route(app, endpoints.forgetWatched, {}, async () => null);
}
