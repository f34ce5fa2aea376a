import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { PickReply } from '#contract/entities/feed.ts';
import type { WatchedList } from '#contract/entities/video.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Answer } from '#tests/support/go-between.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
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
    await feed.clickControl(quadrant, 'Skip');
  });
  expect(new Set(shown).size).toBe(8);
  await expect(statistics).toContainText('0 of 8 not shown yet');
  await expectAccessible(page);
  await feed.quadrant('top-left').hover();
  await feed.clickControl('top-left', 'Skip');
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

test('the tab of what was watched has no accessibility fault while it loads, fails, is empty, and without a network', async ({
  page,
  context,
  feed,
  product,
  endings,
}) => {
  const network = await startGoBetween(product.address);
  endings.push(() => network.close());
  const answer = (fate: 'silent' | Answer | null) =>
    network.interfere((path) => (path.startsWith('/api/watched') ? fate : null));
  const list = page.getByRole('region', { name: 'Watched' });
  const open = async () => {
    await page.goto(`${network.address}/?view=channels`);
    await page.getByRole('button', { name: 'Watched', exact: true }).click();
  };
  await page.goto(`${network.address}/?view=channels`);
  await feed.waitForWorker();
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Watched', exact: true }).click();
  await expect(list).toContainText('Needs a connection');
  await expectAccessible(page);
  await context.setOffline(false);

  answer('silent');
  await open();
  await expect(list.getByRole('status')).toHaveText('Loading...');
  await expectAccessible(page);
  answer({ status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":"internal"}' });
  await open();
  await expect(list).toContainText('Failed to load what you have watched: ');
  await expectAccessible(page);
  answer(null);
  await list.getByRole('button', { name: 'Try again' }).click();
  await expect(list).toContainText('Nothing yet. What plays in the feed is listed here.');
  await expectAccessible(page);

  await context.setOffline(true);
  await open();
  await expect(list).toContainText('Waiting for network. Listed');
  await expectAccessible(page);
});

test('what was shown without a network is in the log once and in its order when it is back, and does not come again', async ({
  page,
  context,
  feed,
  openProduct,
}) => {
  const [videos, times] = [40, 20];
  const fixtures = fileURLToPath(new URL('../fixtures/videos/', import.meta.url));
  const names = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];
  const files = Array.from({ length: videos }, (_, at) => [`Sea/${at}.mp4`, `${fixtures}${names[at % 6]}.mp4`]);
  const product = await openProduct({ files: Object.fromEntries(files) });
  await page.goto(`${product.address}/?view=channels`);
  await page.getByRole('list', { name: 'Channels' }).getByRole('button', { name: 'Sea' }).click();
  await page.getByRole('button', { name: 'Keep offline' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep offline' });
  await expect(dialog.getByRole('status')).toContainText(new RegExp(`^${videos} videos, .* left$`));
  await dialog.getByRole('button', { name: 'Keep offline' }).click();
  await expect(dialog).toHaveCount(0);
  await page.goto(`${product.address}/?view=profile`);
  const kept = page.getByRole('region', { name: 'Kept on this device' });
  await expect(kept.getByText(/^Kept offline · /)).toHaveCount(videos);
  await feed.waitForWorker();
  await context.setOffline(true);

  await feed.open(product.address);
  const shown = await recordShown(page);
  await feed.waitForStills();
  await feed.start.click();
  await feed.waitUntilAllAdvance();
  for (let skips = 0; (await shown()).length < times; skips += 1) {
    const quadrant = quadrants[skips % quadrants.length] ?? 'top-left';
    const before = (await feed.look())[quadrant].videoId;
    await feed.skipByKey(quadrant);
    await feed.waitForOtherVideo(quadrant, before);
  }

  await context.setOffline(false);
  const get = async (path: string) => (await page.request.get(`${product.address}${path}`)).json();
  const listed = async () =>
    ((await get('/api/watched?limit=100')) as WatchedList).watched.map(({ video }) => video.id);
  await poll(async () => (await listed()).length, { message: 'what was shown is told' }).toBeGreaterThanOrEqual(times);
  const told = (await listed()).reverse();
  expect(new Set(told).size).toBe(told.length);
  expect(told).toEqual((await shown()).slice(0, told.length));
  for (const quadrant of quadrants) {
    const { id } = (await get(`/api/video/${quadrant}`)) as Extract<PickReply, { available: true }>;
    expect(told).not.toContain(id);
  }
});

/** Writes down which videos come to the screen, in any quadrant. @returns what tells them, in their order */
async function recordShown(page: Page): Promise<() => Promise<string[]>> {
  const record = await page.evaluateHandle(() => {
    const ids: string[] = [];
    const note = (section: Node) =>
      section instanceof HTMLElement && section.dataset.videoId && ids.push(section.dataset.videoId);
    const observer = new MutationObserver((changes) => {
      for (const { target } of changes) note(target);
    });
    for (const section of document.querySelectorAll('section[data-quadrant]')) {
      note(section);
      observer.observe(section, { attributes: true, attributeFilter: ['data-video-id'] });
    }
    return ids;
  });
  return () => record.jsonValue();
}

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
