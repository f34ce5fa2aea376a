import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../clock.ts';
import { readBearerToken } from '../../../http/pipeline/bearer-token.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import type { TokenBuckets } from '../../../http/protection/token-buckets.ts';
import { createTokenBuckets } from '../../../http/protection/token-buckets.ts';

const guessesPerMinute = 20;

/** Who may read the metrics: whoever shows the operator's token in a header. */
export class MetricsAccess {
  private readonly tokenHash: Buffer;
  /** In memory: the metrics answer while the database does not. */
  private readonly guesses: TokenBuckets;

  constructor(token: string, clock: Clock) {
    this.tokenHash = hashOf(token);
    this.guesses = createTokenBuckets({ capacity: guessesPerMinute, perSecond: guessesPerMinute / 60 }, clock);
  }

  /**
   * @param authorization the header as it came
   * @param client whose guesses are counted
   * @throws Refusal 401 without the token, 429 for those who guess, also with the right one: an answer would say so
   */
  admit(authorization: string | undefined, client: string): void {
    const waitMs = this.guesses.check(client, 1);
    if (waitMs > 0)
      throw new Refusal('rate_limited', { headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) } });
    const token = readBearerToken(authorization);
    if (token === null) throw refuse('Bearer realm="metrics"');
    if (timingSafeEqual(hashOf(token), this.tokenHash)) return;
    this.guesses.take(client, 1);
    throw refuse('Bearer realm="metrics", error="invalid_token"');
  }
}

function refuse(challenge: string): Refusal {
  return new Refusal('unauthorized', {
    message: 'The metrics ask for their token.',
    headers: { 'www-authenticate': challenge },
  });
}

/** Of one length, so that comparing takes the same time for every guess. */
function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
