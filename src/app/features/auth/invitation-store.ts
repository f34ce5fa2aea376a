import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { HttpError } from '#app/platform/http/send.ts';
import { forgetCodes, navigation } from '#app/state/navigation.ts';
import { openInvitation } from '#contract/endpoints.ts';
import type { InvitationOffer } from '#contract/entities/account.ts';
import * as failures from '#contract/failures.ts';

interface InvitationState {
  /** What the invitation of the address gives; null until the server has said so. */
  offer: InvitationOffer | null;
  /** Why it gives nothing, or why that could not be found out. */
  refusal: string | null;
  /** Whether asking again could help. */
  isRetryable: boolean;
}

const unknown = { offer: null, refusal: null, isRetryable: false };

export const invitation = proxy<InvitationState>({ ...unknown });

let turn = 0;

/**
 * Asks what the invitation of the address gives. The reply sets a cookie by which a provider's sign-in uses it, too. One
 * that is good no longer is forgotten.
 */
export async function loadInvitation(): Promise<void> {
  const token = navigation.invitation;
  if (token === null) return;
  turn += 1;
  const own = turn;
  Object.assign(invitation, unknown);
  try {
    const offer = await call(openInvitation, { body: { invitation: token }, quiet: true });
    if (own === turn) invitation.offer = offer;
  } catch (error) {
    if (own === turn) refuse(error);
  }
}

/** Asks again if that could help. */
export async function retryInvitation(): Promise<void> {
  if (invitation.isRetryable) await loadInvitation();
}

export function resetInvitation(): void {
  turn += 1;
  Object.assign(invitation, unknown);
}

function refuse(error: unknown): void {
  const isRetryable = !(error instanceof HttpError && error.code === 'invitation_invalid');
  const refusal = error instanceof HttpError ? error.message : failures.connection;
  Object.assign(invitation, { refusal, isRetryable });
  if (!isRetryable) forgetCodes();
}
