import { expect, test } from 'vitest';
import { offerOf } from '#app/features/profile/plans-dialog.tsx';
import type { Tier } from '#contract/rules/tiers.ts';
import { tiers } from '#contract/rules/tiers.ts';

const names: Record<Tier, string> = { basic: 'Basic', pro: 'Pro', lifetime: 'Lifetime', admin: 'Admin' };

/** What each plan's button says, with a star where it does something. */
const offersFor = (tier: Tier, isBillingOpen = true) =>
  tiers.map((plan) => {
    const { label, isChoosable } = offerOf({ tier: plan, name: names[plan] }, { tier, isBillingOpen });
    return isChoosable ? `${label} *` : label;
  });

test.each([
  ['basic', ['Current Plan', 'Upgrade to Pro *', 'Upgrade to Lifetime *', 'Contact Admin']],
  ['pro', ['Downgrade Not Available', 'Current Plan', 'Upgrade to Lifetime *', 'Contact Admin']],
  ['lifetime', ['Downgrade Not Available', 'Downgrade Not Available', 'Current Plan', 'Contact Admin']],
  ['admin', ['Downgrade Not Available', 'Downgrade Not Available', 'Downgrade Not Available', 'Current Plan']],
] as const)('of the tier %s, only what is higher and for sale can be taken', (tier, expected) => {
  expect(offersFor(tier)).toEqual(expected);
});

test('where plans are changed by administrators alone, nothing can be taken', () => {
  expect(offersFor('basic', false)).toEqual(['Current Plan', 'Contact Admin', 'Contact Admin', 'Contact Admin']);
});
