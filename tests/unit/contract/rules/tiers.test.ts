import { describe, expect, test } from 'vitest';
import { checkUpgrade, isHigherTier, planButton, priceText, tierBadges, tierRanks } from '#contract/rules/plans.ts';
import type { FeatureName, Tier } from '#contract/rules/tiers.ts';
import {
  defaultFeatures,
  effectiveTier,
  featureNames,
  featuresByTier,
  isTakenAway,
  isTier,
  tiers,
} from '#contract/rules/tiers.ts';
import { rowsOf } from '../specification.ts';

describe('the tables of §6', () => {
  test('give the tiers their ranks and badges', () => {
    const specified = rowsOf(6, 'Tier', 'Rank', 'Badge').map((row) => [row.Tier, Number(row.Rank), row.Badge]);

    expect(specified).toEqual(tiers.map((tier) => [tier, tierRanks[tier], tierBadges[tier]]));
  });

  test('give the tiers their features', () => {
    const granted = (name: FeatureName) => [defaultFeatures[name], ...tiers.map((tier) => featuresByTier[tier][name])];
    const coded = featureNames.map((name) => [name, ...granted(name).map((yes) => (yes ? 'yes' : 'no'))]);
    const specified = rowsOf(6, 'Feature', 'Default', 'basic').map((row) => [
      row.Feature,
      row.Default,
      row.basic,
      row.pro,
      row.lifetime,
      row.admin,
    ]);

    expect(specified).toEqual(coded);
  });
});

test.each<[plan: Tier, from: Tier, label: string]>([
  ['basic', 'basic', 'Current Plan'],
  ['pro', 'basic', 'Upgrade to Pro'],
  ['lifetime', 'pro', 'Upgrade to Lifetime'],
  ['basic', 'pro', 'Downgrade Not Available'],
  ['pro', 'admin', 'Downgrade Not Available'],
  ['admin', 'lifetime', 'Contact Admin'],
  ['admin', 'admin', 'Current Plan'],
])('the %s plan, seen by somebody with %s, has the button "%s"', (tier, from, label) => {
  expect(planButton({ tier, name: tierBadges[tier] }, from)).toBe(label);
});

test('only a higher tier can be bought, and never admin', () => {
  const buyable = tiers.flatMap((from) =>
    tiers.filter((to) => checkUpgrade(to, from) === null).map((to) => `${from} to ${to}`),
  );

  expect(buyable).toEqual(['basic to pro', 'basic to lifetime', 'pro to lifetime']);
});

test('a tier is higher than those before it', () => {
  expect(isHigherTier('pro', 'basic')).toBe(true);
  expect(isHigherTier('pro', 'pro')).toBe(false);
  expect(isHigherTier('basic', 'admin')).toBe(false);
});

test.each<[expiresAt: number | null, now: number, tier: Tier]>([
  [null, 5_000, 'pro'],
  [5_001, 5_000, 'pro'],
  [5_000, 5_000, 'basic'],
  [4_999, 5_000, 'basic'],
])('a pro subscription that ends at %s counts at %d as %s', (expiresAt, now, tier) => {
  expect(effectiveTier('pro', expiresAt, now)).toBe(tier);
});

test.each<[price: number, duration: 'month' | null, text: string]>([
  [0, null, 'Free'],
  [0, 'month', 'Free'],
  [9, 'month', '$9/month'],
  [9.5, 'month', '$9.50/month'],
  [149, null, '$149'],
])('%d dollars per %s reads %s', (price, duration, text) => {
  expect(priceText({ price, duration })).toBe(text);
});

test('only an explicit false takes a feature away', () => {
  expect(isTakenAway({ video_controls: false }, 'video_controls')).toBe(true);
  expect(isTakenAway({ video_controls: true }, 'video_controls')).toBe(false);
  expect(isTakenAway({}, 'video_controls')).toBe(false);
  expect(isTakenAway(null, 'video_controls')).toBe(false);
});

test.each([
  ['pro', true],
  ['PRO', false],
  ['gold', false],
  ['toString', false],
])('%s is a tier: %s', (name, isOne) => {
  expect(isTier(name)).toBe(isOne);
});
