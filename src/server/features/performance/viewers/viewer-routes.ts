import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { route } from '../../../http/pipeline/route.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import type { PlaybackHealth } from '../playback-health.ts';
import { listActiveViewers } from './list-active-viewers.ts';

export interface ViewerServices {
  sentBytes: SentBytes;
  playbackHealth: Pick<PlaybackHealth, 'presentViewers'>;
}

export function viewerRoutes(app: FastifyInstance, { sentBytes, playbackHealth }: ViewerServices): void {
  route(app, endpoints.listActiveViewers, {}, async () =>
    listActiveViewers(sentBytes, playbackHealth.presentViewers()),
  );
}
