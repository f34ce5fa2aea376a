import type { FastifyInstance } from 'fastify';
import { listPlans, upgradePlan } from '#contract/endpoints.ts';
import { upgradeSchema } from '#contract/entities/user.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import { toUserReply } from '../users/account.ts';
import type { PlanDeps } from './plans.ts';
import { upgradeAccount } from './plans.ts';

export function planRoutes(app: FastifyInstance, deps: PlanDeps): void {
  route(app, listPlans, {}, async () => ({ plans: [...deps.plans] }));

  route(app, upgradePlan, { body: upgradeSchema }, async ({ caller, body }) => {
    const account = await upgradeAccount(deps, signedIn(caller).userId, body.to_tier);
    return { success: true as const, ...toUserReply(account, deps) };
  });
}
