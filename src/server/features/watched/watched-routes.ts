import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { watchedListQuerySchema, watchedReportSchema } from '#contract/entities/watched.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import { audienceOf } from '../videos/audience.ts';
import type { Rounds } from './rounds.ts';
import type { ListDeps } from './watched-list.ts';
import { readWatchedPage } from './watched-list.ts';
import { watcherOf } from './watched-owner.ts';

interface WatchedServices extends ListDeps {
  ids: Ids;
  rounds: Rounds;
}

/** The endpoints for what somebody has watched. */
export function watchedRoutes(app: FastifyInstance, services: WatchedServices): void {
  const { rounds, ids } = services;
  route(app, endpoints.recordWatched, { body: watchedReportSchema }, async ({ body, request }) => {
    const watcher = watcherOf(request);
    if (watcher !== null) await rounds.record(watcher, body.ids);
    return null;
  });

  route(app, endpoints.listWatched, { query: watchedListQuerySchema }, async ({ query, request, reply }) => {
    const { blocked_tag_ids: blockedTagIds, page, limit } = query;
    const audience = audienceOf(request, reply, ids);
    return readWatchedPage(services, watcherOf(request), { blockedTagIds, page, limit, audience });
  });

  route(app, endpoints.forgetWatched, {}, async ({ request }) => {
    const watcher = watcherOf(request);
    if (watcher !== null) await rounds.forget(watcher);
    return null;
  });
}
