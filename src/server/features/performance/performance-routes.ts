import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import {
  performanceQuerySchema,
  performanceReportSchema,
  troubledVideosQuerySchema,
} from '#contract/entities/site/performance.ts';
import { isQuadrant } from '#contract/quadrants.ts';
import type { Clock } from '../../clock.ts';
import { clientAddress, clientNetwork } from '../../http/addresses/client-address.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { route } from '../../http/pipeline/route.ts';
import { viewerKey } from '../../http/pipeline/viewer-cookie.ts';
import type { AlertWatch } from './alerts/alert-watch.ts';
import type { PlaybackHealth } from './playback-health.ts';
import { readSamples } from './record/sample.ts';
import type { QuadrantOrAll } from './stats/playback-sums.ts';

const paramsSchema = z.object({ quadrant: z.string() });

export interface PerformanceServices {
  clock: Clock;
  playbackHealth: PlaybackHealth;
  alertWatch: Pick<AlertWatch, 'list'>;
}

/** How videos play: what devices report of it, and what administrators see. */
export function performanceRoutes(
  app: FastifyInstance,
  { clock, playbackHealth, alertWatch }: PerformanceServices,
): void {
  route(
    app,
    endpoints.recordPerformance,
    { params: paramsSchema, body: performanceReportSchema },
    async ({ params, body, request, reply }) => {
      const samples = readSamples(body, quadrantOf(params), clock.now());
      playbackHealth.record(
        {
          viewer: viewerKey(request),
          address: clientAddress(request),
          network: clientNetwork(request),
          form: body.form ?? null,
        },
        samples,
      );
      reply.code(202);
      // Also those that came before: none of them has to be sent again.
      return { accepted: samples.length };
    },
  );

  route(
    app,
    endpoints.readPerformance,
    { params: paramsSchema, query: performanceQuerySchema },
    async ({ params, query }) => playbackHealth.read(quadrantOf(params), query.duration),
  );

  route(app, endpoints.listPerformanceAlerts, {}, async () => ({ alerts: await alertWatch.list() }));

  route(app, endpoints.listTroubledVideos, { query: troubledVideosQuerySchema }, async ({ query }) =>
    playbackHealth.listTroubledVideos(query.duration),
  );
}

function quadrantOf({ quadrant }: z.output<typeof paramsSchema>): QuadrantOrAll {
  if (quadrant !== 'all' && !isQuadrant(quadrant)) throw new NotFound('quadrant');
  return quadrant;
}
