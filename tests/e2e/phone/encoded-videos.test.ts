import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('on a phone a library that nothing can make playable says why, inside each quadrant', async ({
  page,
  feed,
  unplayable,
}) => {
  await feed.open(unplayable.address);
  for (const quadrant of quadrants) {
    const words = feed.quadrant(quadrant).getByText('Browsers cannot play AVI files.');
    await expect(words).toBeVisible();
    const [inner, outer] = [await words.boundingBox(), await feed.quadrant(quadrant).boundingBox()];
    expect(inner && outer && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width).toBe(true);
  }
  await expectAccessible(page);
});
