import type { FastifyInstance } from 'fastify';
import { readBandwidth } from '#contract/endpoints.ts';
import { bandwidthQuerySchema } from '#contract/entities/site/performance.ts';
import type { Database } from '../../../database/connection.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { route } from '../../../http/pipeline/route.ts';
import type { SentBytes } from '../../../http/sent-bytes/sent-bytes.ts';
import { readOwnBandwidth } from './read-bandwidth.ts';
import { readSiteBandwidth } from './read-site-bandwidth.ts';

export interface BandwidthServices {
  database: Database;
  sentBytes: SentBytes;
  /** This process among those that share the database. */
  node: string;
}

export function bandwidthRoutes(app: FastifyInstance, { database, sentBytes, node }: BandwidthServices): void {
  route(app, readBandwidth, { query: bandwidthQuerySchema }, async ({ query, caller, request }) => {
    if (query.scope !== 'site') return readOwnBandwidth(sentBytes, sentBytes.find(request), query.duration);
    if (!signedIn(caller).isAdmin) throw new Refusal('forbidden');
    return readSiteBandwidth({ meter: sentBytes, reader: database.reader, node }, query.duration);
  });
}
