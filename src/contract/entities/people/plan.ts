import { z } from 'zod';
import { tierSchema, userReplySchema } from './user.ts';

/** `price` is in dollars, a month where `duration` says so, else once. */
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
