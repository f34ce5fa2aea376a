import type { APIRequestContext } from '@playwright/test';
import { expect } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { answerFirst } from './answer-first.ts';
import { asking } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

interface Pick {
  readonly id: string;
  readonly filename: string;
}

test('a video that cannot be decoded says so, and another one takes its place', async ({
  feed,
  page,
  flawed: { address },
}) => {
  const broken = await findPick(page.request, address, 'broken-hue-300.mp4');
  await page.clock.install();
  await answerFirst(page, '**/api/video/top-left*', { json: broken });
  // Whoever is given it first keeps it.
  await page.route(/\/api\/video\/(top-right|bottom-)/, (route) =>
    route.continue({ url: route.request().url().replace('exclude=&', `exclude=${broken.id}&`) }),
  );

  await feed.open(asking(address));

  await expect(feed.quadrant('top-left')).toContainText('Video error - loading next...');
  await page.clock.fastForward(limits.retryVideoErrorSeconds * 1000);
  await feed.waitForStills();
  expect((await feed.look())['top-left'].videoId).not.toBe(broken.id);
  await feed.start.click();
  await feed.waitUntilAllAdvance();
});

test('a video that cannot be decoded leaves the one before it on screen until the next', async ({
  feed,
  page,
  flawed: { address },
}) => {
  await page.clock.install();
  await feed.play(address);
  const before = (await feed.look())['top-left'];
  const broken = await findPick(page.request, address, 'broken-hue-300.mp4');
  await answerFirst(page, '**/api/video/top-left*', { json: broken });

  await feed.skipByKey('top-left');

  await expect(feed.quadrant('top-left')).toContainText('Video error - loading next...');
  // Its decoder may have been lent to the broken one: until it has it again, its last frame stands.
  await poll(async () => (await feed.look())['top-left'].colour).toEqual(before.colour);
  await page.clock.fastForward(limits.retryVideoErrorSeconds * 1000);
  await feed.waitForOtherVideo('top-left', before.videoId);
  await feed.waitUntilAllAdvance();
});

test('three videos and a broken one play in all four quadrants', async ({ feed, openProduct }) => {
  const { address } = await openProduct({ names: ['hue-000', 'hue-120', 'hue-240'], broken: ['hue-300'] });
  await feed.play(address);
  await feed.waitUntilAllAdvance();
});

/** Asks until the wanted file is drawn, leaving out what came before. */
async function findPick(request: APIRequestContext, address: string, filename: string): Promise<Pick> {
  const others: string[] = [];
  while (others.length < 6) {
    const pick = (await (
      await request.get(`${address}/api/video/top-left?exclude=${others.join(',')}`)
    ).json()) as Pick;
    if (pick.filename === filename) return pick;
    others.push(pick.id);
  }
  throw new Error(`${filename} is never drawn`);
}
