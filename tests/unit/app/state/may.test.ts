import { afterEach, expect, test } from 'vitest';
import { may, mayEditTags } from '#app/state/may.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import type { FeatureName, Features } from '#contract/rules/tiers.ts';
import { featureNames, featuresByTier, tiers } from '#contract/rules/tiers.ts';
import { person } from './people.ts';

afterEach(() => {
  resetSession();
  resetSiteConfig();
});

const allowed = (features: Features | null) => featureNames.filter((name) => may(name, { features }));

test.each(tiers)('of the tier %s, what the server grants may be done', (tier) => {
  expect(allowed(featuresByTier[tier])).toEqual(featureNames.filter((name) => featuresByTier[tier][name]));
});

test('before any answer viewers have what anonymous ones have', () => {
  expect(allowed(null)).toEqual(allowed(featuresByTier.basic));
});

test('only an explicit false takes something away', () => {
  const sparse = { video_controls: false } as Features;
  expect(allowed(sparse)).toEqual(featureNames.filter((name: FeatureName) => name !== 'video_controls'));
});

test('it is asked of the session unless a snapshot is given', () => {
  expect(may('hd_streaming')).toBe(false);
  session.features = featuresByTier.pro;
  expect(may('hd_streaming')).toBe(true);
});

test('tags are changed by everyone who is signed in, or by administrators alone', () => {
  const editors = (isTagEditingOpen: boolean) =>
    [null, person('lifetime'), person('admin')].map((user) => mayEditTags({ user }, { isTagEditingOpen }));
  expect(editors(true)).toEqual([false, true, true]);
  expect(editors(false)).toEqual([false, false, true]);
  expect(mayEditTags()).toBe(false);
  session.user = person();
  expect(mayEditTags()).toBe(true);
  siteConfig.isTagEditingOpen = false;
  expect(mayEditTags()).toBe(false);
});
