import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { fixtureNames } from '#tests/support/library.ts';
import { containerFor, oldVersions, startOldChromium } from '#tests/support/old-chromium.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { limitDecoders } from '../few-decoders.ts';
import { test } from '../journey.ts';
import { poll } from '../poll.ts';

const devices = oldVersions.flatMap((version) =>
  [1, 2, 3].flatMap((decoders) => (['error', 'standing time'] as const).map((way) => ({ version, decoders, way }))),
);
const tried = isWholeSoak
  ? devices
  : devices.filter(({ version, decoders, way }) => version === 68 && decoders === 3 && way !== 'error');

for (const { version, decoders, way } of tried)
  test(`Chromium ${version} with ${decoders} decoders, and else ${way}, moves all four in turn and blames no video`, async ({
    openProduct,
    endings,
  }) => {
    const browser = await startOldChromium(version);
    endings.push(() => browser.close());
    const { page } = browser;
    const { address } = await openProduct({ names: await fixtureNames('hue'), container: containerFor(version) });
    await page.resize(1920, 1080);
    await page.runFirst(limitDecoders, { decoders, way });
    await page.open(address);
    await page.until(
      'the first tap to be asked for',
      () => document.querySelector('main > button, body > button, [data-quadrant]') !== null,
      null,
    );
    await page.click(960, 540);
    await poll(() => page.evaluate(() => localStorage.getItem('fourfold.decoders'), null)).toContain(
      `"decoders":${decoders}`,
    );
    for (const quadrant of quadrants)
      await poll(async () => (await page.evaluate(() => window.watched.moved, null))[quadrant]?.length ?? 0, {
        message: `${quadrant} has shown a video that moves`,
      }).toBeGreaterThanOrEqual(1);
    const { mostOpen, errors } = await page.evaluate(() => window.watched, null);
    expect([errors, page.errors]).toEqual([[], []]);
    expect(mostOpen).toBeLessThanOrEqual(decoders);
  });
