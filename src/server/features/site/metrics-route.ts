import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readMetrics } from '#contract/endpoints.ts';
import type { Clock } from '../../clock.ts';
import type { Env } from '../../env.ts';
import { clientAddress, isLoopback } from '../../http/client-address.ts';
import { RateLimited, Refusal } from '../../http/pipeline/errors.ts';
import { readBearerToken } from '../../http/pipeline/guards.ts';
import { compressText } from '../../http/pipeline/representation.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import type { Audit } from '../../http/protection/audit.ts';
import { auditRefusals, auditSourceOf } from '../../http/protection/audit.ts';
import { TokenBuckets } from '../../limits/token-buckets.ts';
import type { Metrics } from '../../metrics/metrics.ts';

interface MetricsServices {
  env: Pick<Env, 'metricsToken'>;
  clock: Clock;
  /** Null without a token. */
  metrics: Metrics | null;
  accounts: { audit: Audit };
}

/** Serves the metrics for monitoring. Without a configured token the route does not exist. */
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
 * The client whose guesses are counted together. Behind an unconfigured proxy strangers have the
 * address of this machine, and so does a local monitor. The monitor's requests lack the header that
 * a proxy adds, so strangers cannot lock it out.
 */
function guesserOf(request: FastifyRequest): string {
  const isForwarded = isLoopback(request.ip) && request.headers['x-forwarded-for'] !== undefined;
  return isForwarded ? 'forwarded' : clientAddress(request);
}

const guessesPerMinute = 20;

/** Admits clients that send the operator's token in a header. */
export class MetricsAccess {
  private readonly tokenHash: Buffer;
  /** Kept in memory, so that the metrics work while the database does not reply. */
  private readonly guesses: TokenBuckets;

  constructor(token: string, clock: Clock) {
    this.tokenHash = hashOf(token);
    this.guesses = new TokenBuckets({ capacity: guessesPerMinute, perSecond: guessesPerMinute / 60 }, clock);
  }

  /**
   * @param authorization the header as received
   * @param client the client whose guesses are counted
   * @throws Refusal 401 without the token, 429 after too many guesses, even with the right token,
   * because a reply would confirm it
   */
  admit(authorization: string | undefined, client: string): void {
    const waitMs = this.guesses.check(client, 1);
    if (waitMs > 0) throw new RateLimited(waitMs);
    const token = readBearerToken(authorization);
    if (token === null) throw refuseToken('Bearer realm="metrics"');
    if (timingSafeEqual(hashOf(token), this.tokenHash)) return;
    this.guesses.take(client, 1);
    throw refuseToken('Bearer realm="metrics", error="invalid_token"');
  }
}

function refuseToken(challenge: string): Refusal {
  return new Refusal('unauthorized', {
    message: 'The metrics ask for their token.',
    headers: { 'www-authenticate': challenge },
  });
}

/** A hash of fixed length, so that the comparison takes the same time for every guess. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
