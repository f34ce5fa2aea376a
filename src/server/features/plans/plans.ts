import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { listPlans, upgradePlan } from '#contract/endpoints.ts';
import { plainWords } from '#contract/entities/error-reply.ts';
import type { Plan } from '#contract/entities/user.ts';
import { planSchema, upgradeSchema } from '#contract/entities/user.ts';
import { checkUpgrade, tierRanks } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { EnvRefused } from '../../env.ts';
import { Invalid, Refusal } from '../../http/pipeline/errors.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { SharedTexts } from '../../nodes/shared-texts.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Account } from '../users/account.ts';
import { tierOf, toUserReply } from '../users/account.ts';
import type { UserDeps } from '../users/profile.ts';
import { changeAccount } from '../users/profile.ts';
import { shippedPlans } from './shipped-plans.ts';

const fileSchema = z.strictObject({
  plans: z
    .array(planSchema)
    .min(1, 'at least one plan is needed')
    .superRefine((plans, context) => {
      const tiers = plans.map((plan) => plan.tier);
      const twice = tiers.findIndex((tier, position) => tiers.indexOf(tier) !== position);
      if (twice !== -1)
        context.addIssue({ code: 'custom', path: [twice, 'tier'], message: 'there is another plan for this tier' });
    }),
});

/**
 * The plans of the operator's `plans.json`, else the built-in ones, in the order of their tiers.
 * @throws EnvRefused that lists everything wrong with the file
 */
export async function readPlans(texts: Pick<SharedTexts, 'read'>): Promise<readonly Plan[]> {
  const text = await texts.read('plans.json');
  if (text === null) return shippedPlans;
  const parsed = fileSchema.safeParse(parseJson(text), { error: plainWords });
  if (!parsed.success)
    throw new EnvRefused(parsed.error.issues.map(({ path, message }) => `plans.json ${path.join('.')}: ${message}`));
  return parsed.data.plans.toSorted((a, b) => tierRanks[a.tier] - tierRanks[b.tier]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new EnvRefused(['plans.json is not JSON']);
  }
}

interface PlanDeps extends UserDeps {
  plans: readonly Plan[];
  /** False: only administrators assign tiers. */
  isBillingOpen: boolean;
}

/**
 * Upgrades at once and without an end (§4 Subscription).
 * @throws Refusal 403 for the admin tier and where billing is closed, 400 for a tier that is not
 * higher or not on offer
 */
async function upgradeAccount(deps: PlanDeps, userId: string, to: Tier): Promise<Account> {
  if (to === 'admin') throw new Refusal('forbidden', { message: 'Contact Admin' });
  if (!deps.isBillingOpen) throw new Refusal('forbidden', { message: 'Plans cannot be changed here. Contact Admin' });
  if (!deps.plans.some((plan) => plan.tier === to))
    throw new Invalid([{ field: 'to_tier', message: 'This plan is not on offer' }]);
  return changeAccount(deps, userId, async (transaction, account) => {
    const now = deps.clock.now();
    const sentence = checkUpgrade(to, tierOf(account, now));
    if (sentence !== null) throw new Refusal('downgrade_not_available', { message: sentence });
    const upgraded = { actorId: userId, kind: 'tier_changed', subject: account.username, detail: to } as const;
    await recordActivity(transaction, upgraded, now);
    return { tier: to, tierExpiresAt: null };
  });
}

export function planRoutes(app: FastifyInstance, deps: PlanDeps): void {
  route(app, listPlans, {}, async () => ({ plans: [...deps.plans] }));

  route(app, upgradePlan, { body: upgradeSchema }, async ({ caller, body }) => {
    const account = await upgradeAccount(deps, signedIn(caller).userId, body.to_tier);
    return { success: true as const, ...(await toUserReply(account, deps)) };
  });
}
