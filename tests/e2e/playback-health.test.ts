import { expect } from '@playwright/test';
import type { Performance, PerformanceReport, TroubledVideos } from '#contract/entities/performance.ts';
import { holdFirstAnswers, startGoBetween } from '#tests/support/go-between.ts';
import { registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

/** Some two and a half seconds of a demo clip. */
const heldAt = 160 * 1024;

test('videos that stall are known to the server within seconds, and what was seen last when the page is left', async ({
  feed,
  page,
  openProduct,
}) => {
  const product = await openProduct('demo');
  const { access_token: token } = await registerAt(product, 'ada');
  const between = await startGoBetween(product.address);
  holdFirstAnswers(between, heldAt);
  const read = async () => {
    const health = await send<Performance>(product, 'GET', '/api/optimization/performance/all', token);
    return health.metrics ?? { samples: 0, stallEvents: 0 };
  };
  const sent: PerformanceReport['samples'] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch' && request.url().endsWith('/performance/all'))
      sent.push(...(request.postDataJSON() as PerformanceReport).samples);
  });
  try {
    await page.clock.install();
    await feed.play(between.address);
    const playing = Object.values(await feed.look()).map(({ videoId }) => videoId);
    for (const name of ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const)
      await expect(feed.quadrant(name)).toHaveAttribute('data-phase', 'buffering');
    await poll(() => playing.filter((id) => sent.some((sample) => sample.video_id === id && sample.stall_events > 0)), {
      message: 'the stall of each video is reported',
    }).toEqual(playing);
    const stalls = () => sent.reduce((sum, { stall_events }) => sum + stall_events, 0);
    await poll(async () => (await read()).stallEvents === stalls(), {
      message: 'in one viewing session so far, and no stall is counted twice',
    }).toBe(true);

    const { videos } = await send<TroubledVideos>(product, 'GET', '/api/admin/performance/videos', token);
    expect(videos.map(({ id }) => id).sort()).toEqual(playing.sort());

    const { samples } = await read();
    await page.clock.runFor(2_000);
    await page.goto(`${between.address}/robots.txt`);
    await poll(async () => (await read()).samples).toBeGreaterThan(samples);
  } finally {
    await between.close();
  }
});
