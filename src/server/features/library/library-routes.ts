import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { hiddenIdsQuerySchema } from '#contract/entities/feed.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { hiddenListQuerySchema, unplayableListQuerySchema } from '#contract/entities/library.ts';
import { folderChannelsUpdateSchema } from '#contract/entities/tag.ts';
import type { Database } from '../../database/connection.ts';
import { rankOf, signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { FolderChannelSwitch } from './folder-channels/folder-channel-switch.ts';
import { withheldVideoRepository } from './withheld-video-repository.ts';
import type { HidingDeps } from './withheld-videos.ts';
import { withheldVideos } from './withheld-videos.ts';

interface LibraryServices extends HidingDeps {
  database: Database;
  restrictedTags: RestrictedTags;
  folderChannels: FolderChannelSwitch;
}

/** The endpoints for unplayable and hidden videos, and for the switch of folder channels. */
export function libraryRoutes(app: FastifyInstance, services: LibraryServices): void {
  const { database, folderChannels, restrictedTags } = services;

  route(app, endpoints.listUnplayableVideos, { query: unplayableListQuerySchema }, async ({ query }) =>
    withheldVideos.readUnplayablePage(database, query),
  );

  route(app, endpoints.listHiddenVideos, { query: hiddenListQuerySchema }, async ({ query }) =>
    withheldVideos.readHiddenPage(database, query),
  );

  route(app, endpoints.findHiddenVideos, { query: hiddenIdsQuerySchema }, async ({ query, caller }) => {
    const shown = await withheldVideoRepository.findShown(database.reader, query.ids);
    const seen = await restrictedTags.listShown(rankOf(caller), [...shown.values()]);
    return { hidden: query.ids.filter((id) => !seen.has(shown.get(id) ?? 0)) };
  });

  route(app, endpoints.hideVideo, { params: idParamsSchema }, async ({ params, caller }) => {
    await withheldVideos.hide(services, params.id, signedIn(caller).userId);
    return null;
  });

  route(app, endpoints.showVideo, { params: idParamsSchema }, async ({ params, caller }) => {
    await withheldVideos.show(services, params.id, signedIn(caller).userId);
    return null;
  });

  route(app, endpoints.readFolderChannels, {}, async () => folderChannels.read());

  route(app, endpoints.updateFolderChannels, { body: folderChannelsUpdateSchema }, async ({ body, caller }) =>
    folderChannels.update(signedIn(caller).userId, body.enabled),
  );
}
