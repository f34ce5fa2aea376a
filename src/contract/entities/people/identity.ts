import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { flagSchema } from '../fields.ts';
import { tokensSchema } from './account.ts';
import { userSchema } from './user.ts';

/** Somebody else who can say who a person is: google, github, discord or others. */
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

/** Good once, for a minute: a window sends no token, and none belongs into an address. */
export const linkTicketSchema = z.strictObject({ ticket: z.string() });
export type LinkTicket = z.infer<typeof linkTicketSchema>;

/**
 * `link=1` links the provider's account to the person who fetched the ticket; `display=page` comes back to the app
 * itself where a popup cannot work.
 */
export const providerSignInQuerySchema = z.object({
  link: z.union([flagSchema, z.enum(['0', '1']).transform((digit) => digit === '1')]).default(false),
  ticket: z.string().max(limits.idCharacters).optional(),
  display: z.enum(['popup', 'page']).default('popup'),
});
export type ProviderSignInQuery = z.input<typeof providerSignInQuerySchema>;

/** What the popup posts to its opener, at the site's own origin only (§4 Auth). */
export const providerMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('OAUTH_SUCCESS'), user: userSchema, tokens: tokensSchema }),
  z.strictObject({ type: z.literal('OAUTH_ERROR'), error: z.string() }),
]);
export type ProviderMessage = z.infer<typeof providerMessageSchema>;
