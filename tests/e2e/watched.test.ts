import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt } from './accounts.ts';
import { Feed } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { toldBy, videosOfRound } from './round.ts';
import { SignIn } from './sign-in.ts';

test('by mouse a round of eight videos in four quadrants shows each once, and says that they come again', async ({
  page,
  feed,
  scarce,
}) => {
  const told = toldBy(page);
  await feed.play(scarce.address);
  await page.mouse.move(360, 225);
  await page.keyboard.press('i');
  const statistics = page.getByRole('complementary', { name: 'Statistics' });
  const shown = await videosOfRound(feed, told, async (quadrant) => {
    await feed.quadrant(quadrant).hover();
    await feed.control(quadrant, 'Skip').click();
  });
  expect(new Set(shown).size).toBe(8);
  await expect(statistics).toContainText('0 of 8 not shown yet');
  await expectAccessible(page);
  await feed.quadrant('top-left').hover();
  await feed.control('top-left', 'Skip').click();
  await expect(statistics).toContainText('All 8 were shown. They come again.');
  await expect(statistics).toContainText(/[4-7] of 8 not shown yet/);
});

test('what somebody has watched is listed where they sign in, plays there, and can be forgotten', async ({
  page,
  feed,
  club,
  browser,
}) => {
  await registerAt(club, 'wanda');
  await new SignIn(page).enterAs(club, 'wanda');
  const told = toldBy(page);
  await feed.play(club.address);
  const ids = Object.values(await feed.look()).map(({ videoId }) => videoId);
  await poll(() => ids.every((id) => told.includes(id)), { message: 'the four are told' }).toBe(true);
  await page.mouse.move(5, 400);
  await page.getByRole('button', { name: 'Videos', exact: true }).click();
  await page.getByRole('button', { name: 'Watched', exact: true }).click();
  const list = (where: Page) => where.getByRole('region', { name: 'Watched' });
  await expect(list(page).getByRole('listitem')).not.toHaveCount(0);
  await expectAccessible(page);

  const elsewhere = await (await browser.newContext()).newPage();
  await new SignIn(elsewhere).enterAs(club, 'wanda');
  await elsewhere.goto(`${club.address}/?view=channels`);
  await elsewhere.getByRole('button', { name: 'Watched', exact: true }).click();
  const rows = list(elsewhere).getByRole('listitem');
  await expect(rows).toHaveCount(await list(page).getByRole('listitem').count());
  const row = rows.first().getByRole('button');
  const name = (await row.locator('bdi').textContent()) ?? '';
  await row.click();
  const time = () =>
    elsewhere.locator('[role="dialog"] video').evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect(elsewhere.getByRole('dialog', { name })).toBeVisible();
  await poll(time, { message: 'the video advances' }).toBeGreaterThan(0.3);
  await elsewhere.keyboard.press('Escape');
  await row.click({ button: 'right' });
  await expect(elsewhere.getByRole('dialog', { name })).toContainText('Play top left');
  await expectAccessible(elsewhere);
  await elsewhere.keyboard.press('Escape');

  await elsewhere.goto(`${club.address}/?view=profile`);
  await elsewhere.getByRole('button', { name: 'Forget what I have watched' }).click();
  await expectAccessible(elsewhere);
  await elsewhere.getByRole('button', { name: 'Forget', exact: true }).click();
  await expect(elsewhere.getByText('Forgotten. All videos count as new.')).toBeVisible();
  await expectAccessible(elsewhere);
  await elsewhere.goto(`${club.address}/?view=channels`);
  await elsewhere.getByRole('button', { name: 'Watched', exact: true }).click();
  await expect(elsewhere.getByText('Nothing yet. What plays in the feed is listed here.')).toBeVisible();
  await elsewhere.context().close();
});

test('two browsers of one person see each video once before any comes again', async ({
  page,
  feed,
  openProduct,
  browser,
}) => {
  const fixtures = fileURLToPath(new URL('../fixtures/videos/', import.meta.url));
  const names = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];
  const files = Array.from({ length: 44 }, (_, at) => [`${at}.mp4`, `${fixtures}${names[at % names.length]}.mp4`]);
  const product = await openProduct({ files: Object.fromEntries(files) });
  await registerAt(product, 'first');
  await registerAt(product, 'wanda');
  const told: string[] = [];
  const watch = async (where: Page, own: Feed) => {
    await new SignIn(where).enterAs(product, 'wanda');
    const heard = toldBy(where);
    await own.play(product.address);
    const shown = Object.values(await own.look()).map(({ videoId }) => videoId);
    for (let count = 0; count < 16; count += 1) {
      const quadrant = quadrants[count % quadrants.length] ?? 'top-left';
      const before = (await own.look())[quadrant].videoId;
      await own.skipByKey(quadrant);
      await own.waitForOtherVideo(quadrant, before);
      shown.push((await own.look())[quadrant].videoId);
    }
    await poll(() => shown.every((id) => heard.includes(id)), { message: 'what was shown is told' }).toBe(true);
    told.push(...shown);
  };
  await watch(page, feed);
  const elsewhere = await (await browser.newContext()).newPage();
  await watch(elsewhere, new Feed(elsewhere));
  expect([told.length, new Set(told).size]).toEqual([40, 40]);
  await elsewhere.context().close();
});
