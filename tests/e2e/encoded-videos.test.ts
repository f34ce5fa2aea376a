import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { expectAccessible } from './accessible.ts';
import { test } from './journey.ts';

test('a library that nothing can make playable says why', async ({ page, feed, openProduct }) => {
  const { address } = await openProduct({ files: { 'old.avi': corpusFile('xvid-mp3.avi') } });
  await feed.open(address);
  for (const quadrant of quadrants)
    await expect(feed.quadrant(quadrant)).toContainText('Browsers cannot play AVI files.');
  await expectAccessible(page);
});
