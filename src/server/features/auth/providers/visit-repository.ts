import { createHash } from 'node:crypto';
import type { Executor } from '../../../database/tables.ts';

/** Somebody who is away at a provider. */
export interface Visit {
  state: string;
  /** What the browser that left has in a cookie. */
  browser: string;
  provider: string;
  nonce: string;
  verifier: string;
  /** The session of whoever links; null: somebody signs in. */
  sessionId: string | null;
  /** Of the invitation that the browser came with; null without one. */
  invitationHash: string | null;
  display: 'popup' | 'page';
  /** Epoch milliseconds. */
  expiresAt: number;
}

export async function insertVisit(executor: Executor, visit: Visit): Promise<void> {
  await executor
    .insertInto('provider_visits')
    .values({
      state_hash: hashOf(visit.state),
      browser_hash: hashOf(visit.browser),
      provider: visit.provider,
      nonce: visit.nonce,
      verifier: visit.verifier,
      session_id: visit.sessionId,
      invitation_hash: visit.invitationHash,
      display: visit.display,
      expires_at: visit.expiresAt,
    })
    .execute();
}

/** Each visit ends once, in the browser that it began in. Null for any other. */
export async function claimVisit(
  executor: Executor,
  { state, browser, provider }: Pick<Visit, 'state' | 'browser' | 'provider'>,
  now: number,
): Promise<Visit | null> {
  const row = await executor
    .deleteFrom('provider_visits')
    .where('state_hash', '=', hashOf(state))
    .where('browser_hash', '=', hashOf(browser))
    .where('provider', '=', provider)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return null;
  const { nonce, verifier, display } = row;
  return {
    state,
    browser,
    provider,
    nonce,
    verifier,
    sessionId: row.session_id,
    invitationHash: row.invitation_hash,
    display,
    expiresAt: row.expires_at,
  };
}

export async function deleteExpiredVisits(executor: Executor, now: number): Promise<void> {
  await executor.deleteFrom('provider_visits').where('expires_at', '<=', now).execute();
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
