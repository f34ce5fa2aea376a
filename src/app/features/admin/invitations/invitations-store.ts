import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { createInvitation, listInvitations, revokeInvitation } from '#contract/endpoints.ts';
import type { Invitation, InvitationLink } from '#contract/entities/account.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { InvitedTier } from '#contract/rules/plans.ts';

export interface InvitationMakerState {
  tier: InvitedTier;
  isBusy: boolean;
  /** The link that was made last; its address cannot be had a second time. */
  link: (InvitationLink & { tier: InvitedTier }) | null;
  /** Why none could be made, or why one could not be revoked. */
  refusal: string | null;
}

const nothing = { tier: 'basic', isBusy: false, link: null, refusal: null } as const;

export const invitationMaker = proxy<InvitationMakerState>({ ...nothing });

/** The server gives all of them at once; they are shown in pages. */
export const invitations = createPagedList<Invitation, object>({
  limit: limits.usersPerPage,
  filters: {},
  load: async ({ page }, signal) => {
    const { invitations: all } = await call(listInvitations, { signal });
    const from = (page - 1) * limits.usersPerPage;
    return { items: all.slice(from, from + limits.usersPerPage), total: all.length };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadInvitations,
});

export function chooseTier(tier: InvitedTier): void {
  invitationMaker.tier = tier;
}

export async function makeInvitation(): Promise<void> {
  if (invitationMaker.isBusy) return;
  const { tier } = invitationMaker;
  Object.assign(invitationMaker, { isBusy: true, refusal: null });
  try {
    invitationMaker.link = { ...(await call(createInvitation, { body: { tier } })), tier };
    void invitations.reload();
  } catch (error) {
    invitationMaker.refusal = readRefusal(error);
  } finally {
    invitationMaker.isBusy = false;
  }
}

/** Hides the link. */
export function closeLink(): void {
  invitationMaker.link = null;
}

/** The link is hidden if it is the one that no longer works. */
export async function revoke(id: string): Promise<void> {
  invitationMaker.refusal = null;
  try {
    await invitations.change(
      (items) => items.filter((item) => item.id !== id),
      () => call(revokeInvitation, { params: { id } }),
    );
    if (invitationMaker.link?.id === id) closeLink();
  } catch (error) {
    invitationMaker.refusal = readRefusal(error);
  }
}

export function resetInvitations(): void {
  Object.assign(invitationMaker, nothing);
}

/** An expired one can still be in the list for some days. */
export function isOpen({ used_at, expires_at }: Pick<Invitation, 'used_at' | 'expires_at'>): boolean {
  return used_at === null && Date.parse(expires_at) > now();
}
