import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readMetrics } from '#contract/endpoints.ts';
import type { Clock } from '../../../clock.ts';
import type { Env } from '../../../env.ts';
import { clientAddress, isLoopback } from '../../../http/addresses/client-address.ts';
import { compressText } from '../../../http/pipeline/compress-text.ts';
import { answered, route } from '../../../http/pipeline/route.ts';
import type { Audit } from '../../../http/protection/audit.ts';
import { auditRefusals, auditSourceOf } from '../../../http/protection/audit.ts';
import type { Metrics } from '../../../metrics/metrics.ts';
import { MetricsAccess } from './metrics-access.ts';

export interface MetricsServices {
  env: Pick<Env, 'metricsToken'>;
  clock: Clock;
  /** Null without a token. */
  metrics: Metrics | null;
  accounts: { audit: Audit };
}

/** What a monitor reads. Without a token there is no such page. */
export function metricsRoute(app: FastifyInstance, { env, clock, metrics, accounts }: MetricsServices): void {
  if (metrics === null || env.metricsToken === undefined) return;
  const access = new MetricsAccess(env.metricsToken, clock);

  route(app, readMetrics, {}, async ({ request, reply }) => {
    await auditRefusals(accounts.audit, 'metrics_refused', auditSourceOf(request), {}, async () =>
      access.admit(request.headers.authorization, guesserOf(request)),
    );
    reply.type(metrics.contentType).header('cache-control', 'no-store');
    reply.send(await compressText(request, reply, await metrics.read()));
    return answered;
  });
}

/**
 * Whose guesses are counted together. Behind a proxy that nobody named, strangers have the address of this machine, and
 * so has a monitor that runs here: it comes without the header that a proxy adds, and strangers must not lock it out.
 */
function guesserOf(request: FastifyRequest): string {
  const isForwarded = isLoopback(request.ip) && request.headers['x-forwarded-for'] !== undefined;
  return isForwarded ? 'forwarded' : clientAddress(request);
}
