import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { reportCreationSchema, reportListQuerySchema } from '#contract/entities/library.ts';
import { clientAddress, clientNetwork } from '../../http/client-address.ts';
import { rankOf, signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { ReportDeps } from './reports.ts';
import { reports } from './reports.ts';

/** The endpoints for reports of videos. */
export function reportRoutes(app: FastifyInstance, services: ReportDeps): void {
  route(
    app,
    endpoints.reportVideo,
    { params: idParamsSchema, body: reportCreationSchema },
    async ({ params, body, caller, request }) => {
      const place = { address: clientAddress(request), network: clientNetwork(request) };
      const reporter = { userId: caller.user?.userId ?? null, rank: rankOf(caller), ...place };
      await reports.create(services, params.id, body, reporter);
      return null;
    },
  );

  route(app, endpoints.listReports, { query: reportListQuerySchema }, async ({ query }) =>
    reports.readPage(services.database, query),
  );

  route(app, endpoints.dismissReports, { params: idParamsSchema }, async ({ params, caller }) => {
    await reports.dismiss(services, params.id, signedIn(caller).userId);
    return null;
  });
}
