import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { holdVideosAt, startGoBetween } from '#tests/support/go-between.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

/** Some two and a half seconds of a demo clip. */
const heldAt = 160 * 1024;
/** Beyond what came before the cut. */
const playedSeconds = 4;

test('a pinned video whose connection is cut while it is paused goes on where it was, without an error', async ({
  feed,
  page,
  demo,
}) => {
  const between = await startGoBetween(demo.address);
  const cut = holdVideosAt(between, heldAt);
  try {
    await feed.open(between.address);
    await feed.waitForStills();
    await feed.start.click();
    // No more than this: on a slow machine they may have played all that comes before the cut by the next look.
    await poll(async () => (await feed.look())['top-left'].time).toBeGreaterThan(0);
    const here = feed.quadrant('top-left');
    const front = here.locator('video[data-layer="front"]');
    const videos = await feed.recordVideos('top-left');
    await here.focus();
    await page.keyboard.press('z');
    await page.keyboard.press('MediaPlayPause');
    await poll(() => front.evaluate(({ paused }: HTMLVideoElement) => paused)).toBe(true);
    await front.evaluate((video: HTMLVideoElement) =>
      video.addEventListener('error', () => video.setAttribute('data-failed', '')),
    );
    const pausedAt = (await feed.look())['top-left'].time;
    expect(pausedAt).toBeLessThan(playedSeconds);

    const source = await front.evaluate(({ currentSrc }: HTMLVideoElement) => currentSrc);
    // On a slow machine one of those that play may be between two attempts, which are held as well.
    await poll(() => between.countHeld(), { message: 'answers that stand still' }).toBeGreaterThanOrEqual(
      quadrants.length,
    );
    expect(
      cut().map((path) => `${between.address}${path}`),
      'answers that stood still',
    ).toContain(source);
    // The other three, which play, ask for the rest; nobody takes the paused one away.
    await poll(async () => Object.values(await feed.look()).filter(({ time }) => time > playedSeconds).length).toBe(3);
    expect((await feed.look())['top-left']).toMatchObject({ time: pausedAt });

    await page.keyboard.press('MediaPlayPause');
    await poll(async () => (await feed.look())['top-left'].time, { timeout: 60_000 }).toBeGreaterThan(playedSeconds);
    expect(await videos(), 'one video all along').toHaveLength(1);
    await expect(front).not.toHaveAttribute('data-failed');
    await expect(here).toHaveAttribute('data-pinned', 'true');
    await expect(here).toHaveAttribute('data-phase', 'playing');
  } finally {
    await between.close();
  }
});
