import type { FastifyInstance } from 'fastify';
import { listActivities } from '#contract/endpoints.ts';
import { activityListQuerySchema } from '#contract/entities/site/activity.ts';
import type { Database } from '../../database/connection.ts';
import { route } from '../../http/pipeline/route.ts';
import { readActivityPage } from './activities.ts';

export function activityRoutes(app: FastifyInstance, { database }: { database: Database }): void {
  route(app, listActivities, { query: activityListQuerySchema }, async ({ query }) =>
    readActivityPage(database, query),
  );
}
