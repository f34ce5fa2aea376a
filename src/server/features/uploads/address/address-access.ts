import { limits } from '#contract/limits.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Env } from '../../../env.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { TokenBuckets } from '../../../http/protection/token-buckets.ts';
import { createTokenBuckets } from '../../../http/protection/token-buckets.ts';
import { requireUploader } from '../session/own-session.ts';
import { findFileByAddress, findSession } from '../session/session-repository.ts';
import type { UploadFile, UploadSession } from '../upload-file.ts';
import { expiryOf, isKeyOf } from '../upload-file.ts';

/** A file whose address and key were right. */
export interface Admitted {
  file: UploadFile;
  session: UploadSession;
}

const guessesPerMinute = 100;
/** Most requests write to the database, and come without the account whose calls are counted. */
const requestsOfPerson = { capacity: limits.personCallBurst, perSecond: limits.personCallsPerSecond };

/** Who may send to an address: whoever has the key of its session. */
export class AddressAccess {
  private readonly database: Pick<Database, 'reader'>;
  private readonly clock: Clock;
  private readonly env: Pick<Env, 'uploads'>;
  private readonly guesses: TokenBuckets;
  private readonly people: TokenBuckets;

  constructor(deps: { database: Pick<Database, 'reader'>; clock: Clock; env: Pick<Env, 'uploads'> }) {
    this.database = deps.database;
    this.clock = deps.clock;
    this.env = deps.env;
    this.guesses = createTokenBuckets({ capacity: guessesPerMinute, perSecond: guessesPerMinute / 60 }, deps.clock);
    this.people = createTokenBuckets(requestsOfPerson, deps.clock);
  }

  /** For sending. @throws Refusal as `find` does, and 403 when the owner of the session may not upload any more */
  async admit(address: string, key: string, client: string): Promise<Admitted> {
    const admitted = await this.find(address, key, client);
    requireUploader(this.env, admitted.session.isOwnerAdmin);
    return admitted;
  }

  /**
   * An unknown address and a wrong key look the same.
   * @throws Refusal 404, 410 for what is over, 429 for those who guess, and for too many requests of one person
   */
  async find(address: string, key: string, client: string): Promise<Admitted> {
    const now = this.clock.now();
    const file = await findFileByAddress(this.database.reader, address);
    const session = file === null ? null : await findSession(this.database.reader, file.sessionId, now);
    if (file === null || session === null || !isKeyOf(session, key)) throw this.refuseGuess(client);
    const waitMs = this.people.take(session.userId ?? session.id, 1);
    if (waitMs > 0) throw refuseFor(waitMs);
    refuseWhenOver(session, now);
    if (file.state === 'failed') throw new Refusal('gone', { message: file.error ?? undefined });
    return { file, session };
  }

  private refuseGuess(client: string): Refusal {
    const waitMs = this.guesses.take(client, 1);
    if (waitMs === 0) return new NotFound('upload');
    return refuseFor(waitMs);
  }
}

function refuseFor(waitMs: number): Refusal {
  return new Refusal('rate_limited', { headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) } });
}

/** @throws Refusal 410 */
export function refuseWhenOver(session: UploadSession, now: number): void {
  if (session.state === 'completed') throw new Refusal('gone', { message: 'This upload is complete.' });
  if (session.state === 'cancelled') throw new Refusal('gone', { message: 'This upload was cancelled.' });
  if (session.state === 'expired' || session.userId === null || expiryOf(session) <= now)
    throw new Refusal('gone', { message: 'This upload has expired.' });
}
