import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { isWholeSoak } from '#tests/support/soak.ts';
import { expectAccessible } from './accessible.ts';
import { limitDecoders, ways } from './few-decoders.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

const devices = isWholeSoak
  ? [1, 2, 3].flatMap((decoders) => ways.map((way) => ({ decoders, way })))
  : ([
      { decoders: 2, way: 'error' },
      { decoders: 2, way: 'standing time' },
    ] as const);

for (const { decoders, way } of devices)
  test(`a device that shows ${decoders} at once, and else ${way}, is found out, blames no video, and moves all four in turn`, async ({
    brief,
    feed,
    page,
  }) => {
    await page.addInitScript(limitDecoders, { decoders, way });
    // What stands is seen after three seconds, when a brief clip has ended.
    const isBrief = way === 'error';
    await page.goto(isBrief ? brief.address : '/');
    await feed.start.click();
    await poll(() => page.evaluate(() => localStorage.getItem('fourfold.decoders'))).toContain(
      `"decoders":${decoders}`,
    );
    for (const quadrant of quadrants)
      await poll(async () => (await page.evaluate(() => window.watched.moved))[quadrant]?.length ?? 0, {
        message: `${quadrant} has shown videos that move`,
      }).toBeGreaterThanOrEqual(isBrief ? 2 : 1);
    const { mostOpen, errors } = await page.evaluate(() => window.watched);
    expect(errors).toEqual([]);
    expect(mostOpen).toBeLessThanOrEqual(decoders);

    await page.keyboard.press('i');
    const statistics = page.getByRole('complementary', { name: 'Statistics' });
    await expect(statistics).toContainText(`This device plays ${decoders} of 4 at once.`);
    await expect(statistics).toContainText(`Playing${decoders} of 4`);
    await expectAccessible(page);
    await page.evaluate(() => {
      window.decoders = 6;
    });
    await statistics.getByRole('button', { name: 'Try four again' }).click();
    await feed.waitUntilAllAdvance();
    await expect(statistics).not.toContainText('at once');
  });
