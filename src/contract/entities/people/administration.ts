import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkDisplayName, checkEmail, checkNewPassword } from '#contract/rules/credentials.ts';
import { checkedText, pageFacts, pageLimitSchema, pageSchema, searchSchema, timeSchema } from '../fields.ts';
import { tierSchema, userSchema } from './user.ts';

export const userListQuerySchema = z.object({
  search: searchSchema.optional(),
  tier: tierSchema.optional(),
  page: pageSchema,
  limit: pageLimitSchema(limits.usersPerPage),
});
export type UserListQuery = z.input<typeof userListQuerySchema>;

export const userListSchema = z.strictObject({ users: z.array(userSchema), ...pageFacts });
export type UserList = z.infer<typeof userListSchema>;

/** One user, as an admin sees them. */
export const managedUserSchema = z.strictObject({ user: userSchema });
export type ManagedUser = z.infer<typeof managedUserSchema>;

/** `new_password` is the only way back for somebody who forgot theirs: no mail is sent. */
export const userUpdateSchema = z.object({
  display_name: checkedText(checkDisplayName).nullable().optional(),
  email: checkedText(checkEmail).optional(),
  new_password: checkedText(checkNewPassword, { keepsBlanks: true }).optional(),
});
export type UserUpdate = z.input<typeof userUpdateSchema>;

/** Without `expires_at`, or with null, the subscription has no end. */
export const subscriptionUpdateSchema = z.object({ tier: tierSchema, expires_at: timeSchema.nullable().default(null) });
export type SubscriptionUpdate = z.input<typeof subscriptionUpdateSchema>;
