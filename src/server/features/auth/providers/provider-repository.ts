import { createHash } from 'node:crypto';
import type { Executor } from '../../../database/tables.ts';

/** An account at a provider that signs in to a local account. */
interface StoredIdentity {
  issuer: string;
  subject: string;
  provider: string;
  userId: string;
  email: string | null;
  /** Epoch milliseconds. */
  linkedAt: number;
}

/** A sign-in in progress at a provider. */
export interface Visit {
  state: string;
  /** The cookie value of the browser that started the visit. */
  browser: string;
  provider: string;
  nonce: string;
  verifier: string;
  /** The session that links the provider; null: the visit is a sign-in. */
  sessionId: string | null;
  /** Hash of the invitation in the browser's cookie; null without one. */
  invitationHash: string | null;
  display: 'popup' | 'page';
  /** Epoch milliseconds. */
  expiresAt: number;
}

/** Identities at providers, the visits to them, and the tickets that link one. */
export const providerRepository = {
  async insertIdentity(
    executor: Executor,
    { issuer, subject, provider, userId, email, linkedAt }: StoredIdentity,
  ): Promise<void> {
    await executor
      .insertInto('identities')
      .values({ issuer, subject, provider, user_id: userId, email, linked_at: linkedAt })
      .execute();
  },

  /** Id of the linked user, or null. */
  async findUser(executor: Executor, issuer: string, subject: string): Promise<string | null> {
    const row = await executor
      .selectFrom('identities')
      .select('user_id')
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .executeTakeFirst();
    return row?.user_id ?? null;
  },

  async listIdentities(executor: Executor, userId: string): Promise<StoredIdentity[]> {
    const rows = await executor
      .selectFrom('identities')
      .selectAll()
      .where('user_id', '=', userId)
      .orderBy('linked_at')
      .orderBy('provider')
      .execute();
    return rows.map(({ user_id, linked_at, ...row }) => ({ ...row, userId: user_id, linkedAt: linked_at }));
  },

  async deleteIdentity(executor: Executor, userId: string, provider: string): Promise<void> {
    await executor.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider).execute();
  },

  async insertVisit(executor: Executor, visit: Visit): Promise<void> {
    await executor
      .insertInto('provider_visits')
      .values({
        state_hash: hashSecret(visit.state),
        browser_hash: hashSecret(visit.browser),
        provider: visit.provider,
        nonce: visit.nonce,
        verifier: visit.verifier,
        session_id: visit.sessionId,
        invitation_hash: visit.invitationHash,
        display: visit.display,
        expires_at: visit.expiresAt,
      })
      .execute();
  },

  /** Ends a visit, once and only in the browser that started it. Null otherwise. */
  async claimVisit(
    executor: Executor,
    { state, browser, provider }: Pick<Visit, 'state' | 'browser' | 'provider'>,
    now: number,
  ): Promise<Visit | null> {
    const row = await executor
      .deleteFrom('provider_visits')
      .where('state_hash', '=', hashSecret(state))
      .where('browser_hash', '=', hashSecret(browser))
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
  },

  async deleteExpiredVisits(executor: Executor, now: number): Promise<void> {
    await executor.deleteFrom('provider_visits').where('expires_at', '<=', now).execute();
  },

  async insertTicket(executor: Executor, { ticket, sessionId, provider, expiresAt }: LinkTicket): Promise<void> {
    await executor
      .insertInto('link_tickets')
      .values({ ticket_hash: hashSecret(ticket), session_id: sessionId, provider, expires_at: expiresAt })
      .execute();
  },

  /**
   * Claims a ticket, which is valid once.
   * @returns the session, or null for a ticket that has expired, was used or is for another provider
   */
  async claimTicket(
    executor: Executor,
    { ticket, provider }: Pick<LinkTicket, 'ticket' | 'provider'>,
    now: number,
  ): Promise<string | null> {
    const row = await executor
      .deleteFrom('link_tickets')
      .where('ticket_hash', '=', hashSecret(ticket))
      .returningAll()
      .executeTakeFirst();
    return row !== undefined && row.provider === provider && row.expires_at > now ? row.session_id : null;
  },

  async deleteExpiredTickets(executor: Executor, now: number): Promise<void> {
    await executor.deleteFrom('link_tickets').where('expires_at', '<=', now).execute();
  },
};

/** Lets a window link a provider to the account of a session. */
interface LinkTicket {
  ticket: string;
  sessionId: string;
  provider: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
