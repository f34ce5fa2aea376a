import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { folderChannelsUpdateSchema } from '#contract/entities/tag-change.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { route } from '../../../http/pipeline/route.ts';
import type { FolderChannelSwitch } from './folder-channel-switch.ts';

export interface FolderChannelServices {
  folderChannels: FolderChannelSwitch;
}

/** Whether first folders become channels. */
export function folderChannelRoutes(app: FastifyInstance, { folderChannels }: FolderChannelServices): void {
  route(app, endpoints.readFolderChannels, {}, async () => folderChannels.read());

  route(app, endpoints.updateFolderChannels, { body: folderChannelsUpdateSchema }, async ({ body, caller }) =>
    folderChannels.update(signedIn(caller).userId, body.enabled),
  );
}
