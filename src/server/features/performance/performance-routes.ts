import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import { readBandwidth } from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import {
  bandwidthQuerySchema,
  performanceQuerySchema,
  performanceReportSchema,
  troubledVideosQuerySchema,
} from '#contract/entities/performance.ts';
import { isQuadrant } from '#contract/quadrants.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { clientAddress, clientNetwork } from '../../http/client-address.ts';
import type { SentBytes } from '../../http/connections/sent-bytes.ts';
import { viewerKey } from '../../http/pipeline/cookies.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { AlertWatch } from './alert-watch.ts';
import { readOwnBandwidth, readSiteBandwidth } from './bandwidth.ts';
import type { PlaybackHealth } from './playback-health.ts';
import type { QuadrantOrAll } from './playback-slots.ts';
import { readSamples } from './samples.ts';
import type { Venues } from './venues.ts';
import { describeActiveViewers } from './viewers.ts';

const paramsSchema = z.object({ quadrant: z.string() });

interface PerformanceServices {
  database: Database;
  clock: Clock;
  sentBytes: SentBytes;
  playbackHealth: PlaybackHealth;
  /** Says how many devices a report stands for. */
  measuredShare: { weigh(told: number | undefined): number };
  alertWatch: Pick<AlertWatch, 'list'>;
  venues: Venues;
  /** The name of this process among those that share the database. */
  node: string;
}

/** The endpoints for playback reports of devices, and for what administrators read of them. */
export function performanceRoutes(app: FastifyInstance, services: PerformanceServices): void {
  const { clock, playbackHealth, measuredShare, alertWatch, sentBytes, venues } = services;
  bandwidthRoutes(app, services);
  venueRoutes(app, venues);

  route(app, endpoints.listActiveViewers, {}, async () =>
    describeActiveViewers(sentBytes, playbackHealth.presentViewers()),
  );

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
          standsFor: measuredShare.weigh(body.stands_for),
        },
        samples,
      );
      if (body.venue) venues.note(body.venue, clientNetwork(request));
      reply.code(202);
      // Samples that came before count as accepted: no sample has to be sent again.
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

function venueRoutes(app: FastifyInstance, venues: Venues): void {
  route(app, endpoints.listVenues, {}, async () => ({ venues: await venues.list() }));

  route(app, endpoints.forgetVenue, { params: idParamsSchema }, async ({ params }) => {
    await venues.forget(params.id);
    return null;
  });
}

function quadrantOf({ quadrant }: z.output<typeof paramsSchema>): QuadrantOrAll {
  if (quadrant !== 'all' && !isQuadrant(quadrant)) throw new NotFound('quadrant');
  return quadrant;
}

function bandwidthRoutes(app: FastifyInstance, { database, sentBytes, node }: PerformanceServices): void {
  route(app, readBandwidth, { query: bandwidthQuerySchema }, async ({ query, caller, request }) => {
    if (query.scope !== 'site') return readOwnBandwidth(sentBytes, sentBytes.find(request), query.duration);
    if (!signedIn(caller).isAdmin) throw new Refusal('forbidden');
    return readSiteBandwidth({ meter: sentBytes, reader: database.lists, node }, query.duration);
  });
}
