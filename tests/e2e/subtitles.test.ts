import type { Locator } from '@playwright/test';
import { expect } from '@playwright/test';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('someone chooses subtitles by mouse: they stand above the controls, go on after a jump, grow with the quadrant, and are there again after a reload', async ({
  spoken: { address },
  feed,
  page,
}) => {
  await feed.play(address);
  const here = feed.quadrant('top-left');
  const words = here.locator('[data-subtitles]');
  await here.click({ button: 'right', position: { x: 200, y: 120 } });
  await page.getByRole('button', { name: 'Subtitles' }).click();
  await page.getByRole('radio', { name: 'English' }).click();

  await expect(words).toHaveText('It is raining again.\nShall we go?');
  await expect(words.locator('i')).toHaveText('raining');
  await here.hover({ position: { x: 200, y: 120 } });
  await expect(feed.control('top-left', 'Skip')).toBeVisible();
  await poll(async () => (await bottomOf(words)) <= (await topOf(feed.control('top-left', 'Seek')))).toBe(true);
  const small = await fontOf(words);

  await page.keyboard.press('Escape');
  await feed.clickControl('top-left', 'Expand');
  await poll(() => fontOf(words)).toBeGreaterThan(1.8 * small);
  await feed.control('top-left', 'Seek').fill('10');
  await expect(words).toHaveText('It is raining again.\nShall we go?');

  await feed.play(address);
  for (const quadrant of ['top-left', 'bottom-right'] as const)
    await expect(feed.quadrant(quadrant).locator('[data-subtitles]')).toHaveText(/^It is raining again/);
});

const fontOf = (words: Locator) => words.evaluate((element) => parseFloat(getComputedStyle(element).fontSize));

async function topOf(element: Locator): Promise<number> {
  return (await element.boundingBox())?.y ?? Number.NaN;
}

async function bottomOf(element: Locator): Promise<number> {
  const box = await element.boundingBox();
  return box === null ? Number.NaN : box.y + box.height;
}
