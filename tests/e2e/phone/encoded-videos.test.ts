import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { expectAccessible } from '../accessible.ts';
import { test } from '../journey.ts';

test('on a phone a library that nothing can make playable says why, inside each quadrant', async ({
  page,
  feed,
  openProduct,
}) => {
  const { address } = await openProduct({ files: { 'old.wmv': corpusFile('wmv2-wma2.wmv') } });
  await feed.open(address);
  for (const quadrant of quadrants) {
    const words = feed.quadrant(quadrant).getByText('Browsers cannot play WMV files.');
    await expect(words).toBeVisible();
    const [inner, outer] = [await words.boundingBox(), await feed.quadrant(quadrant).boundingBox()];
    expect(inner && outer && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width).toBe(true);
  }
  await expectAccessible(page);
});
