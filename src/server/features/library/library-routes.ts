import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { hiddenIdsQuerySchema } from '#contract/entities/feed.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { hiddenListQuerySchema, unplayableListQuerySchema } from '#contract/entities/site/library.ts';
import type { Database } from '../../database/connection.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import { findHiddenIds } from './hidden/hidden-video-repository.ts';
import type { HidingDeps } from './hidden/hidden-videos.ts';
import { hideVideo, readHiddenPage, showVideo } from './hidden/hidden-videos.ts';
import { readUnplayablePage } from './unplayable/unplayable-videos.ts';

export interface LibraryServices extends HidingDeps {
  database: Database;
}

/** What cannot be played, and what must not be. */
export function libraryRoutes(app: FastifyInstance, services: LibraryServices): void {
  const { database } = services;

  route(app, endpoints.listUnplayableVideos, { query: unplayableListQuerySchema }, async ({ query }) =>
    readUnplayablePage(database, query),
  );

  route(app, endpoints.listHiddenVideos, { query: hiddenListQuerySchema }, async ({ query }) =>
    readHiddenPage(database, query),
  );

  route(app, endpoints.findHiddenVideos, { query: hiddenIdsQuerySchema }, async ({ query }) => ({
    hidden: await findHiddenIds(database.reader, query.ids),
  }));

  route(app, endpoints.hideVideo, { params: idParamsSchema }, async ({ params, caller }) => {
    await hideVideo(services, params.id, signedIn(caller).userId);
    return null;
  });

  route(app, endpoints.showVideo, { params: idParamsSchema }, async ({ params, caller }) => {
    await showVideo(services, params.id, signedIn(caller).userId);
    return null;
  });
}
