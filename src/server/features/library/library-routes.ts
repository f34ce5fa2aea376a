import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { hiddenIdsQuerySchema } from '#contract/entities/feed.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { hiddenListQuerySchema, unplayableListQuerySchema } from '#contract/entities/library.ts';
import { folderChannelsUpdateSchema } from '#contract/entities/tag.ts';
import type { Database } from '../../database/connection.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { FolderChannelSwitch } from './folder-channels/folder-channel-switch.ts';
import { withheldVideoRepository } from './withheld-video-repository.ts';
import type { HidingDeps } from './withheld-videos.ts';
import { hideVideo, readHiddenPage, readUnplayablePage, showVideo } from './withheld-videos.ts';

interface LibraryServices extends HidingDeps {
  database: Database;
}

/** The endpoints for unplayable and hidden videos. */
export function libraryRoutes(app: FastifyInstance, services: LibraryServices): void {
  const { database } = services;

  route(app, endpoints.listUnplayableVideos, { query: unplayableListQuerySchema }, async ({ query }) =>
    readUnplayablePage(database, query),
  );

  route(app, endpoints.listHiddenVideos, { query: hiddenListQuerySchema }, async ({ query }) =>
    readHiddenPage(database, query),
  );

  route(app, endpoints.findHiddenVideos, { query: hiddenIdsQuerySchema }, async ({ query }) => ({
    hidden: await withheldVideoRepository.findHiddenIds(database.reader, query.ids),
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

interface FolderChannelServices {
  folderChannels: FolderChannelSwitch;
}

/** The endpoints of the switch for folder channels. */
export function folderChannelRoutes(app: FastifyInstance, { folderChannels }: FolderChannelServices): void {
  route(app, endpoints.readFolderChannels, {}, async () => folderChannels.read());

  route(app, endpoints.updateFolderChannels, { body: folderChannelsUpdateSchema }, async ({ body, caller }) =>
    folderChannels.update(signedIn(caller).userId, body.enabled),
  );
}
