import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Plan } from '#contract/entities/people/plan.ts';
import { planSchema } from '#contract/entities/people/plan.ts';
import { plainWords } from '#contract/entities/plain-words.ts';
import { tierRanks } from '#contract/rules/plans.ts';
import { EnvRefused } from '../../env.ts';
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
 * The operator's plans, else the ones that ship; in the order of their tiers.
 * @throws EnvRefused that names everything which is wrong with the file
 */
export async function readPlans(file: string): Promise<readonly Plan[]> {
  const text = await readFile(file, 'utf8').catch(nullWhenMissing);
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

function nullWhenMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
