import { z } from 'zod';
import { usualFacts } from '#contract/call-facts.ts';
import { limits } from '#contract/limits.ts';
import {
  checkDisplayName,
  checkEmail,
  checkIdentifier,
  checkNewPassword,
  checkPassword,
  checkUsername,
} from '#contract/rules/credentials.ts';
import { checkEulaVersion } from '#contract/rules/eula.ts';
import { checkedText, opaqueTextSchema } from '../fields.ts';
import { featuresSchema, userSchema } from './user.ts';

const comparedPasswordSchema = checkedText(checkPassword, { keepsBlanks: true });
const newPasswordSchema = checkedText(checkNewPassword, { keepsBlanks: true });
/** No body of these calls has more: whatever fits in is judged as a token, and is none. */
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
  /** For the first account, from another machine: what the terminal shows. */
  setup_code: opaqueTextSchema.optional(),
  /** Lets somebody in where registration is closed, with the plan that it names. */
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

/** Whoever has no password leaves the present one out, and proves who they are by a fresh visit to their provider. */
export const passwordChangeSchema = z.object({
  current_password: comparedPasswordSchema.optional(),
  new_password: newPasswordSchema,
});
export type PasswordChange = z.input<typeof passwordChangeSchema>;

export const accountDeletionSchema = z.object({ password: comparedPasswordSchema.optional() });
export type AccountDeletion = z.input<typeof accountDeletionSchema>;

export const eulaAcceptanceSchema = z.object({
  version: checkedText(checkEulaVersion, { keepsBlanks: true }).default(limits.eulaVersion),
});
export type EulaAcceptance = z.input<typeof eulaAcceptanceSchema>;

export const eulaAcceptedSchema = z.strictObject({
  success: z.literal(true),
  eula_accepted: z.literal(true),
  version: z.string(),
});
export type EulaAccepted = z.infer<typeof eulaAcceptedSchema>;
