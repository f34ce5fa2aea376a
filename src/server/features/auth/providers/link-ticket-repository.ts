import { createHash } from 'node:crypto';
import type { Executor } from '../../../database/tables.ts';

/** Lets a window link a provider to the account of a session. */
export interface LinkTicket {
  ticket: string;
  sessionId: string;
  provider: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export async function insertTicket(
  executor: Executor,
  { ticket, sessionId, provider, expiresAt }: LinkTicket,
): Promise<void> {
  await executor
    .insertInto('link_tickets')
    .values({ ticket_hash: hashOf(ticket), session_id: sessionId, provider, expires_at: expiresAt })
    .execute();
}

/** Each is good once. @returns the session, or null for one that has run out, was used, or is for another provider */
export async function claimTicket(
  executor: Executor,
  { ticket, provider }: Pick<LinkTicket, 'ticket' | 'provider'>,
  now: number,
): Promise<string | null> {
  const row = await executor
    .deleteFrom('link_tickets')
    .where('ticket_hash', '=', hashOf(ticket))
    .returningAll()
    .executeTakeFirst();
  return row !== undefined && row.provider === provider && row.expires_at > now ? row.session_id : null;
}

export async function deleteExpiredTickets(executor: Executor, now: number): Promise<void> {
  await executor.deleteFrom('link_tickets').where('expires_at', '<=', now).execute();
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url');
}
