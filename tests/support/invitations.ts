import type { InvitationLink } from '#contract/entities/account.ts';
import { invitationLinkSchema } from '#contract/entities/account.ts';
import type { InvitedTier } from '#contract/rules/tiers.ts';
import type { ServerUnderTest } from './server-under-test.ts';

/** @param headers of an administrator */
export async function createInvitation(
  server: ServerUnderTest,
  headers: Record<string, string>,
  tier: InvitedTier = 'basic',
): Promise<InvitationLink & { token: string }> {
  const reply = await server.call('POST', '/users/admin/invitations', { headers, payload: { tier } });
  const link = invitationLinkSchema.parse(reply.json());
  return { ...link, token: new URL(link.url).searchParams.get('invitation') ?? '' };
}
