import { join } from 'node:path';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { makeLibrary } from '#tests/support/library.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { startProduct } from '#tests/support/product.ts';
import { registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

const stepSeconds = 90;
const lengthSeconds = 400;

test('somebody who chose 1m 30s seeks by that', async ({ feed, page }) => {
  const library = await makeLibrary([]);
  for (const quadrant of quadrants) {
    const picture = [
      '-f',
      'lavfi',
      '-i',
      `color=c=teal:s=64x36:r=5:d=${lengthSeconds}`,
      '-c:v',
      'libx264',
      '-pix_fmt',
      'yuv420p',
      '-g',
      '25',
    ];
    makeWithFfmpeg(join(library.folder, `${quadrant}.mp4`), ...picture, '-movflags', '+faststart');
  }
  const product = await startProduct({ libraryDirs: [library.folder] });
  try {
    const { access_token } = await registerAt(product, 'first');
    await send(product, 'PUT', '/users/profile', access_token, { settings: { skip_duration_seconds: stepSeconds } });
    await new SignIn(page).enterAs(product, 'first');
    await feed.play(product.address);
    await feed.quadrant('top-left').hover({ position: { x: 200, y: 120 } });

    await feed.clickControl('top-left', 'Seek forward 1m 30s');
    await feed.clickControl('top-left', 'Seek forward 1m 30s');
    await poll(async () => (await feed.look())['top-left'].time).toBeGreaterThan(2 * stepSeconds);
    await feed.clickControl('top-left', 'Seek back 1m 30s');
    await poll(async () => (await feed.look())['top-left'].time).toBeLessThan(2 * stepSeconds);
    expect((await feed.look())['top-left'].time).toBeGreaterThan(stepSeconds);
  } finally {
    await product.dispose();
    await library.remove();
  }
});
