import { z } from 'zod';
import { usualFacts } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import {
  checkDisplayName,
  checkEmail,
  checkIdentifier,
  checkNewPassword,
  checkPassword,
  checkUserCode,
  checkUsername,
  normalizeUserCode,
} from '#contract/rules/credentials.ts';
import { invitedTiers } from '#contract/rules/tiers.ts';
import { checkedText, flagSchema, opaqueTextSchema } from './fields.ts';
import { featuresSchema, userSchema } from './user.ts';

const comparedPasswordSchema = checkedText(checkPassword, { keepsBlanks: true });
const newPasswordSchema = checkedText(checkNewPassword, { keepsBlanks: true });
/**
 * The largest body of these calls: any longer text is refused with the body, any shorter one is
 * checked as a token.
 */
const longestToken = usualFacts.bodyKiB * 1024;
const tokenSchema = z
  .string({ error: 'A refresh token is needed' })
  .min(1, 'A refresh token is needed')
  .max(longestToken);

export const tokensSchema = z.strictObject({ access_token: z.string(), refresh_token: z.string() });
export type Tokens = z.infer<typeof tokensSchema>;

/** The answer of registration, sign-in and refresh. */
export const authReplySchema = z.strictObject({
  access_token: z.string(),
  refresh_token: z.string(),
  user: userSchema,
  features: featuresSchema,
});
export type AuthReply = z.infer<typeof authReplySchema>;

export const registrationSchema = z.object({
  username: checkedText(checkUsername),
  email: checkedText(checkEmail),
  password: newPasswordSchema,
  display_name: checkedText(checkDisplayName).optional(),
  /**
   * Needed for the first account when it is created from another machine: the code that the
   * terminal shows.
   */
  setup_code: opaqueTextSchema.optional(),
  /**
   * An invitation registers its holder while registration is closed, with the plan that it names.
   */
  invitation: opaqueTextSchema.optional(),
});
export type Registration = z.input<typeof registrationSchema>;

export const signInSchema = z.object({
  identifier: checkedText(checkIdentifier, { most: limits.emailCharacters * 2 }),
  password: comparedPasswordSchema,
  rememberMe: z.boolean().default(false),
});
export type SignIn = z.input<typeof signInSchema>;

export const refreshSchema = z.object({ refresh_token: tokenSchema });
export type Refresh = z.input<typeof refreshSchema>;

export const signOutSchema = z.object({ refresh_token: tokenSchema.optional() });
export type SignOut = z.input<typeof signOutSchema>;

/**
 * A person without a password leaves `current_password` out, and proves their identity by a fresh
 * sign-in at their provider.
 */
export const passwordChangeSchema = z.object({
  current_password: comparedPasswordSchema.optional(),
  new_password: newPasswordSchema,
});
export type PasswordChange = z.input<typeof passwordChangeSchema>;

export const accountDeletionSchema = z.object({ password: comparedPasswordSchema.optional() });
export type AccountDeletion = z.input<typeof accountDeletionSchema>;

/** An absent version means the one that the site asks for. */
export const eulaAcceptanceSchema = z.object({
  version: opaqueTextSchema.optional(),
});
export type EulaAcceptance = z.input<typeof eulaAcceptanceSchema>;

export const eulaAcceptedSchema = z.strictObject({
  success: z.literal(true),
  eula_accepted: z.literal(true),
  version: z.string(),
});
export type EulaAccepted = z.infer<typeof eulaAcceptedSchema>;

/** One sign-in on one device, as its owner sees it. */
export const sessionSchema = z.strictObject({
  id: z.string(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime(),
  /** The device in words: 'Firefox on Linux'. */
  device: z.string(),
  current: z.boolean(),
});
export type Session = z.infer<typeof sessionSchema>;

export const sessionListSchema = z.strictObject({ sessions: z.array(sessionSchema) });
export type SessionList = z.infer<typeof sessionListSchema>;

/** An identity provider: google, github, discord or others. */
export const authProviderSchema = z.strictObject({ name: z.string(), display_name: z.string(), login_url: z.string() });
export type AuthProvider = z.infer<typeof authProviderSchema>;

export const providerListSchema = z.strictObject({ providers: z.array(authProviderSchema) });
export type ProviderList = z.infer<typeof providerListSchema>;

/** A provider's account that is linked to one of ours. */
export const identitySchema = z.strictObject({
  provider: z.string(),
  email: z.string().nullable(),
  linked_at: z.iso.datetime(),
});
export type Identity = z.infer<typeof identitySchema>;

export const identityListSchema = z.strictObject({ identities: z.array(identitySchema) });
export type IdentityList = z.infer<typeof identityListSchema>;

/**
 * The ticket is valid once, for a minute. The window that opens cannot send a token, and a token
 * must not stand in a URL.
 */
export const linkTicketSchema = z.strictObject({ ticket: z.string() });
export type LinkTicket = z.infer<typeof linkTicketSchema>;

/**
 * `link=1` links the provider's account to the user who requested the ticket; `display=page`
 * returns to the app itself when a popup cannot be used.
 */
export const providerSignInQuerySchema = z.object({
  link: z.union([flagSchema, z.enum(['0', '1']).transform((digit) => digit === '1')]).default(false),
  ticket: z.string().max(limits.idCharacters).optional(),
  display: z.enum(['popup', 'page']).default('popup'),
});
export type ProviderSignInQuery = z.input<typeof providerSignInQuerySchema>;

/** The message that the popup posts to its opener, at the site's own origin only (§4 Auth). */
export const providerMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('OAUTH_SUCCESS'), user: userSchema, tokens: tokensSchema }),
  z.strictObject({ type: z.literal('OAUTH_ERROR'), error: z.string() }),
]);
export type ProviderMessage = z.infer<typeof providerMessageSchema>;

/** A TV's request to be signed in from another device (RFC 8628). Both times are seconds. */
export const deviceRequestSchema = z.strictObject({
  device_code: z.string(),
  user_code: z.string(),
  verification_url: z.string(),
  expires_in: z.int().positive(),
  interval: z.int().positive(),
});
export type DeviceRequest = z.infer<typeof deviceRequestSchema>;

export const devicePollSchema = z.object({
  device_code: z
    .string({ error: 'A device code is needed' })
    .min(1, 'A device code is needed')
    .max(limits.textCharacters),
});
export type DevicePoll = z.input<typeof devicePollSchema>;

export const deviceApprovalSchema = z.object({ user_code: checkedText(checkUserCode).transform(normalizeUserCode) });
export type DeviceApproval = z.input<typeof deviceApprovalSchema>;

/** The device that requested a code, as the person who is about to approve it sees it. */
export const waitingDeviceSchema = z.strictObject({
  /** The device in words: 'Chrome on an LG TV'. */
  device: z.string(),
  /** The network address that the device asked from. */
  address: z.string(),
  /**
   * Whether the device is in the same network as the person who looks it up; null when this is
   * unknown.
   */
  is_same_network: z.boolean().nullable(),
  asked_at: z.iso.datetime(),
});
export type WaitingDevice = z.infer<typeof waitingDeviceSchema>;

const invitedTierSchema = z.enum(invitedTiers, { error: `The plan is one of ${invitedTiers.join(', ')}` });

/** An absent tier means the site's usual one. */
export const invitationCreationSchema = z.object({ tier: invitedTierSchema.optional() });
export type InvitationCreation = z.input<typeof invitationCreationSchema>;

/** `url` carries the token, which is never shown again. */
export const invitationLinkSchema = z.strictObject({ id: z.string(), url: z.string(), expires_at: z.iso.datetime() });
export type InvitationLink = z.infer<typeof invitationLinkSchema>;

/**
 * `created_by` and `used_by` are display names; null when the invitation is unused or the account
 * is deleted.
 */
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

export const invitationListSchema = z.strictObject({
  invitations: z.array(invitationSchema),
  /** The tier of an invitation for which none is named. */
  usual_tier: invitedTierSchema,
});
export type InvitationList = z.infer<typeof invitationListSchema>;

export const invitationQuestionSchema = z.object({ invitation: opaqueTextSchema });
export type InvitationQuestion = z.input<typeof invitationQuestionSchema>;

/** The tier that a valid invitation grants, and its end. */
export const invitationOfferSchema = z.strictObject({ tier: invitedTierSchema, expires_at: z.iso.datetime() });
export type InvitationOffer = z.infer<typeof invitationOfferSchema>;

export const sitePasswordSchema = z.object({ password: checkedText(checkPassword, { keepsBlanks: true }) });
export type SitePassword = z.input<typeof sitePasswordSchema>;

export const siteEntrySchema = z.strictObject({ success: z.literal(true) });
export type SiteEntry = z.infer<typeof siteEntrySchema>;

/**
 * The 401 of a wrong site password: its `error` is the sentence that the password page shows, not a
 * code.
 */
export const siteRefusalSchema = z.strictObject({ success: z.literal(false), error: z.string(), message: z.string() });
export type SiteRefusal = z.infer<typeof siteRefusalSchema>;
