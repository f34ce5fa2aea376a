import { z } from 'zod';
import { invitedTiers } from '#contract/rules/plans.ts';
import { opaqueTextSchema } from '../fields.ts';

const invitedTierSchema = z.enum(invitedTiers, { error: `The plan is one of ${invitedTiers.join(', ')}` });

export const invitationCreationSchema = z.object({ tier: invitedTierSchema.default('basic') });
export type InvitationCreation = z.input<typeof invitationCreationSchema>;

/** `url` carries the token, which is told this once. */
export const invitationLinkSchema = z.strictObject({ id: z.string(), url: z.string(), expires_at: z.iso.datetime() });
export type InvitationLink = z.infer<typeof invitationLinkSchema>;

/** People by the name that they are shown with; null: nobody yet, or their account is gone. */
export const invitationSchema = z.strictObject({
  id: z.string(),
  tier: invitedTierSchema,
  created_at: z.iso.datetime(),
  created_by: z.string().nullable(),
  expires_at: z.iso.datetime(),
  used_at: z.iso.datetime().nullable(),
  used_by: z.string().nullable(),
});
export type Invitation = z.infer<typeof invitationSchema>;

export const invitationListSchema = z.strictObject({ invitations: z.array(invitationSchema) });
export type InvitationList = z.infer<typeof invitationListSchema>;

export const invitationQuestionSchema = z.object({ invitation: opaqueTextSchema });
export type InvitationQuestion = z.input<typeof invitationQuestionSchema>;

/** What an invitation that is still good gives. */
export const invitationOfferSchema = z.strictObject({ tier: invitedTierSchema, expires_at: z.iso.datetime() });
export type InvitationOffer = z.infer<typeof invitationOfferSchema>;
