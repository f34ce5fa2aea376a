import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

test('a first visit whose questions nobody answers goes on by itself when the server is well again', async ({
  page,
  feed,
  product,
}) => {
  const network = await startGoBetween(product.address);
  const unanswered: string[] = [];
  network.interfere((path) => {
    if (!/^\/(api|users|healthz)/.test(path)) return null;
    unanswered.push(path);
    return 'silent';
  });
  await page.clock.install();
  // The page as the build left it: it asks for the first videos itself.
  await page.goto(`${network.address}/index.html`);
  await poll(() => unanswered, { message: 'what the page asks ahead and what the engine asks is open' }).toContain(
    '/api/config',
  );
  expect(unanswered).toContain('/api/video/first');

  network.interfere(() => null);
  await page.clock.fastForward(limits.configCheckTimeoutSeconds * 1000);

  await feed.waitForStills();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  await network.close();
});

test('bytes and picks that never come end at their limits, and the quadrant goes on by itself', async ({
  page,
  feed,
  scarce,
}) => {
  const network = await startGoBetween(scarce.address);
  await page.clock.install();
  await feed.play(network.address);
  const first = (await feed.look())['top-left'];
  const quadrant = feed.quadrant('top-left');

  network.interfere((path) => (path.startsWith('/api/video/stream') ? 'silent' : null));
  await feed.skipByKey('top-left');
  await expect(quadrant).toHaveAttribute('data-phase', 'preparing');
  await page.clock.fastForward(limits.firstBytesTimeoutSeconds * 1000);
  await expect(quadrant).toContainText('Video error - loading next...');
  network.interfere(() => null);
  await page.clock.fastForward(limits.retryVideoErrorSeconds * 1000);
  await feed.waitForOtherVideo('top-left', first.videoId);

  const second = (await feed.look())['top-left'];
  network.interfere((path) => (path.startsWith('/api/video/top-left') ? 'silent' : null));
  await feed.skipByKey('top-left');
  await expect(quadrant).toHaveAttribute('data-phase', 'loading');
  network.interfere(() => null);
  await page.clock.fastForward(limits.pickTimeoutSeconds * 1000);
  await feed.waitForOtherVideo('top-left', second.videoId);
  await feed.waitUntilAllAdvance();
  await network.close();
});
