import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkDisplayName, checkEmail, checkNewPassword, checkPassword } from '#contract/rules/credentials.ts';
import { checkSkipDuration, shuffles } from '#contract/rules/settings.ts';
import { checkBlocklistSize } from '#contract/rules/tag-filter.ts';
import { featureNames, tiers } from '#contract/rules/tiers.ts';
import {
  addRefusal,
  checkedText,
  idArraySchema,
  pageFacts,
  pageLimitSchema,
  pageSchema,
  searchSchema,
  timeSchema,
} from './fields.ts';

const tierSchema = z.enum(tiers);

export const featuresSchema = z.strictObject(
  Object.fromEntries(featureNames.map((name) => [name, z.boolean()])) as Record<
    (typeof featureNames)[number],
    z.ZodBoolean
  >,
);

/** The settings that Profile saves for the account; settings of a device stay in its browser. */
export const settingsSchema = z.strictObject({
  skip_duration_seconds: z.int().positive(),
  blocked_tag_ids: z.array(z.string()),
  /**
   * Whether the sixteen keys of the feed are active (WCAG 2.1.4 requires a way to turn them off).
   */
  shortcut_keys: z.boolean(),
  /** The language of subtitles, a BCP 47 tag; empty: off. Null: never chosen. */
  subtitle_language: z.string().nullable(),
  shuffle: z.enum(shuffles),
});
export type Settings = z.infer<typeof settingsSchema>;

export const userSchema = z.strictObject({
  id: z.string(),
  username: z.string(),
  email: z.string(),
  display_name: z.string().nullable(),
  avatar_url: z.string().nullable(),
  /** False: the person signs in through a provider only. */
  has_password: z.boolean(),
  subscription_tier: tierSchema,
  effective_tier: tierSchema,
  subscription_expires_at: z.iso.datetime().nullable(),
  eula_accepted: z.boolean(),
  features: featuresSchema,
  settings: settingsSchema,
  created_at: z.iso.datetime(),
});
export type User = z.infer<typeof userSchema>;

/** A signed-in user and their features. */
export const userReplySchema = z.strictObject({ user: userSchema, features: featuresSchema });
export type UserReply = z.infer<typeof userReplySchema>;

/**
 * A missing or expired token is not refused: the reply says `authenticated: false` instead.
 * `first_run`: the person made the first account, and is asked for the first settings.
 */
export const profileSchema = z.discriminatedUnion('authenticated', [
  z.strictObject({
    authenticated: z.literal(true),
    user: userSchema,
    features: featuresSchema,
    first_run: z.literal(true).optional(),
  }),
  z.strictObject({ authenticated: z.literal(false), user: z.null(), features: featuresSchema }),
]);
export type Profile = z.infer<typeof profileSchema>;

/** The profile as the Upload screen asks for it. */
export const uploaderProfileSchema = z.strictObject({
  authenticated: z.literal(true),
  user: userSchema,
  features: featuresSchema,
  eula_accepted: z.boolean(),
});
export type UploaderProfile = z.infer<typeof uploaderProfileSchema>;

const skipDurationSchema = z
  .number()
  .superRefine((seconds, context) => addRefusal(context, checkSkipDuration(seconds)));

const subtitleLanguageSchema = z.string().max(limits.languageCharacters, 'This is no language');

export const settingsUpdateSchema = z.object({
  skip_duration_seconds: skipDurationSchema.optional(),
  blocked_tag_ids: idArraySchema(checkBlocklistSize).optional(),
  shortcut_keys: z.boolean().optional(),
  subtitle_language: subtitleLanguageSchema.nullable().optional(),
  shuffle: z.enum(shuffles, { error: `The shuffle is one of ${shuffles.join(', ')}` }).optional(),
});

/**
 * An empty display name removes it; a picture can be removed, not sent. A new email address
 * requires the current password when the account has one.
 */
export const profileUpdateSchema = z.object({
  display_name: checkedText(checkDisplayName).nullable().optional(),
  email: checkedText(checkEmail).optional(),
  current_password: checkedText(checkPassword, { keepsBlanks: true }).optional(),
  avatar_url: z.null({ error: 'A picture can only be removed' }).optional(),
  settings: settingsUpdateSchema.optional(),
});
export type ProfileUpdate = z.input<typeof profileUpdateSchema>;

export const blocklistSchema = z.strictObject({ blocked_tag_ids: z.array(z.string()) });
export type Blocklist = z.infer<typeof blocklistSchema>;

/**
 * `known` is the list that was changed: channels that another device has blocked or unblocked since
 * stay so. Without it the list is replaced.
 */
export const blocklistUpdateSchema = z.object({
  blocked_tag_ids: idArraySchema(checkBlocklistSize),
  known: idArraySchema(checkBlocklistSize).optional(),
});
export type BlocklistUpdate = z.input<typeof blocklistUpdateSchema>;

/** `price` is in dollars: per month when `duration` says so, else once. */
export const planSchema = z.strictObject({
  tier: tierSchema,
  name: z.string(),
  price: z.number().nonnegative(),
  duration: z.literal('month').nullable(),
  description: z.string(),
  features: z.array(z.string()),
  popular: z.boolean(),
});
export type Plan = z.infer<typeof planSchema>;

export const planListSchema = z.strictObject({ plans: z.array(planSchema) });
export type PlanList = z.infer<typeof planListSchema>;

export const upgradeSchema = z.object({ to_tier: tierSchema });
export type Upgrade = z.input<typeof upgradeSchema>;

export const upgradedSchema = userReplySchema.extend({ success: z.literal(true) });
export type Upgraded = z.infer<typeof upgradedSchema>;

export const userListQuerySchema = z.object({
  search: searchSchema.optional(),
  tier: tierSchema.optional(),
  page: pageSchema,
  limit: pageLimitSchema(limits.usersPerPage),
});
export type UserListQuery = z.input<typeof userListQuerySchema>;

export const userListSchema = z.strictObject({ users: z.array(userSchema), ...pageFacts });
export type UserList = z.infer<typeof userListSchema>;

/** One user, as administrators see them. */
export const managedUserSchema = z.strictObject({ user: userSchema });
export type ManagedUser = z.infer<typeof managedUserSchema>;

/** `new_password` is the only recovery for a forgotten password: the server sends no mail. */
export const userUpdateSchema = z.object({
  display_name: checkedText(checkDisplayName).nullable().optional(),
  email: checkedText(checkEmail).optional(),
  new_password: checkedText(checkNewPassword, { keepsBlanks: true }).optional(),
});
export type UserUpdate = z.input<typeof userUpdateSchema>;

/** The subscription has no end when `expires_at` is absent or null. */
export const subscriptionUpdateSchema = z.object({ tier: tierSchema, expires_at: timeSchema.nullable().default(null) });
export type SubscriptionUpdate = z.input<typeof subscriptionUpdateSchema>;
