import { copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { PickReply } from '#contract/entities/feed.ts';
import type { JobKindList, Library } from '#contract/entities/library.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { ffmpegs } from '#tests/support/media/ffmpegs.ts';
import type { Site } from '#tests/support/product.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt, send } from './accounts.ts';
import { Feed } from './feed.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';

/** Each poster takes a moment. */
const few = ['hue-000', 'hue-030', 'hue-060'];

const ask = <Reply>(site: Site, token: string, path: string) => send<Reply>(site, 'GET', path, token);

/** How many posters could be made so far, and how many could not. */
async function posterCounts(site: Site, token: string): Promise<{ done: number; failed: number }> {
  const { kinds } = await ask<JobKindList>(site, token, '/api/admin/jobs/kinds');
  const { done = 0, failed = 0 } = kinds.find(({ kind }) => kind === 'poster') ?? {};
  return { done, failed };
}

const openSection = (page: Page, title: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: title }).click();

const card = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true });

test('an administrator retries failed work, scans the library again and clears the cache, whose posters come back', async ({
  page,
  openProduct,
  endings,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-ffmpeg-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const tool = fakeTool(folder, 'exit 0');
  const product = await openProduct({ names: few }, { FFMPEG_PATH: tool });
  const { access_token: token } = await registerAt(product, 'ada');
  const counts = () => posterCounts(product, token);
  await poll(counts, { message: 'no poster can be made' }).toEqual({ done: 0, failed: few.length });
  await copyFile(ffmpegs[0] ?? '', `${tool}-mended`);
  await rename(`${tool}-mended`, tool);

  await new SignIn(page).enterAs(product, 'ada');
  await page.goto(`${product.address}/?view=admin`);
  await openSection(page, 'Jobs');
  const posters = card(page, 'Posters');
  await posters.getByRole('button', { name: 'Show failed: Posters' }).click();
  const failed = posters.getByRole('list', { name: 'Failed: Posters' }).getByRole('listitem');
  await expect(failed).toHaveCount(few.length);
  await expectAccessible(page);
  await failed.first().getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByText('1 job will be tried again.')).toBeVisible();
  await poll(counts, { message: 'one poster is made' }).toEqual({ done: 1, failed: few.length - 1 });
  await posters.getByRole('button', { name: 'Retry all failed: Posters' }).click();
  await poll(counts, { message: 'all posters are made' }).toEqual({ done: few.length, failed: 0 });
  await expect(failed).toHaveCount(0);

  await openSection(page, 'Library');
  await expect(page.getByText(`${few.length} videos, ${few.length} available`)).toBeVisible();
  const lastScan = async () => (await ask<Library>(product, token, '/api/admin/library')).scan.finished_at;
  const before = await lastScan();
  await card(page, 'Scan').getByRole('button', { name: 'Rescan' }).click();
  await poll(lastScan, { message: 'another scan has ended' }).not.toBe(before);
  await expect(card(page, 'Scan').getByRole('button', { name: 'Rescan' })).toBeEnabled();
  await expect(card(page, 'Scan').getByText('The last one ended just now')).toBeVisible();
  await expectAccessible(page);

  await card(page, 'Cache').getByRole('button', { name: 'Clear cache' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear cache' }).click();
  await expect(page.getByText(/^[\d.]+ (bytes|kB) freed\. Posters come back by themselves\.$/)).toBeVisible();
  await poll(() => arePostersThere(product), { message: 'the posters are there again' }).toBe(true);
});

/** A pick names the poster of its video, and the poster comes. */
async function arePostersThere(site: Site): Promise<boolean> {
  const pick = (await (await fetch(`${site.address}/api/video/top-left`)).json()) as PickReply;
  if (!pick.available || pick.poster_url === null) return false;
  return (await fetch(new URL(pick.poster_url, site.address))).ok;
}

test("an administrator hides a video, which leaves another browser's screen, and shows it again", async ({
  page,
  feed,
  browser,
  desk,
}) => {
  const visitor = await browser.newPage();
  await visitor.clock.install();
  const theirs = new Feed(visitor);
  await theirs.play(desk.address);
  await new SignIn(page).enterAs(desk, 'first');
  await feed.play(desk.address);

  const shown = Object.values(await theirs.look()).map(({ videoId }) => videoId);
  const mine = await feed.look();
  const quadrant = quadrants.find((name) => shown.includes(mine[name].videoId)) ?? 'top-left';
  const { videoId } = mine[quadrant];
  const on = (screen: Page) => screen.locator(`section[data-video-id="${videoId}"]`);
  await expect(on(visitor)).toHaveCount(1);

  await feed.quadrant(quadrant).click({ button: 'right', position: { x: 200, y: 120 } });
  await page.getByRole('button', { name: 'Hide video' }).click();
  await expectAccessible(page);
  await page.getByRole('alertdialog', { name: 'Hide Video' }).getByRole('button', { name: 'Hide video' }).click();
  await expect(on(page)).toHaveCount(0);
  await feed.waitUntilAllAdvance();
  expect(Object.values(await feed.look()).map((picture) => picture.videoId)).not.toContain(videoId);

  await visitor.clock.fastForward(limits.statusPollSeconds * 1000);
  await expect(on(visitor)).toHaveCount(0);
  await theirs.waitUntilAllAdvance();

  await page.goto(`${desk.address}/?view=admin`);
  await openSection(page, 'Library');
  await card(page, 'Hidden videos').getByRole('button', { name: 'Show again' }).click();
  await expect(page.getByText('No video is hidden.')).toBeVisible();
  await poll(() => isPicked(desk, videoId), { message: 'it is drawn again' }).toBe(true);
  await visitor.close();
});

test('an administrator imports channels from a file after what it would change, takes them back, and exports', async ({
  page,
  desk,
}) => {
  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=admin`);
  await openSection(page, 'Channels');
  const rows = 'tag,path\nAlps,hue-000.mp4\nAlps,nowhere.mp4\n';
  const file = { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) };
  await page.locator('input[type=file]').setInputFiles(file);
  await expect(page.getByText('1 channel will be created')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Line 3' })).toContainText('No video has this path');
  await expectAccessible(page);
  await card(page, 'Import').getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('button', { name: 'Undo: Imported mine.csv' }).click();
  await expectAccessible(page);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click();
  await expect(card(page, 'Changes').getByText('Undone', { exact: true })).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toBe(
    'tag,description,color,aliases,path,title,video_description\n',
  );
});

async function isPicked(site: Site, videoId: string): Promise<boolean> {
  const answer = await fetch(`${site.address}/api/video/top-left`);
  return ((await answer.json()) as PickReply).id === videoId;
}

test('a stranger reports a video in its quadrant, an administrator reads it and hides the video, and it leaves the feed', async ({
  page,
  browser,
  feed,
  desk,
}) => {
  const visitor = await browser.newPage();
  await visitor.clock.install();
  const theirs = new Feed(visitor);
  await theirs.play(desk.address);
  const { videoId } = (await theirs.look())['top-left'];
  await theirs.quadrant('top-left').click({ button: 'right', position: { x: 200, y: 120 } });
  await visitor.getByRole('button', { name: 'Report' }).click();
  const dialog = visitor.getByRole('dialog', { name: 'Report' });
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Choose a reason');
  await dialog.getByRole('radio', { name: 'Wrong channel' }).click();
  await dialog.getByRole('textbox', { name: 'What is wrong?' }).fill('This is no aurora.');
  await expectAccessible(visitor);
  await visitor.context().setOffline(true);
  await expect(dialog).toContainText('Needs a connection');
  await expectAccessible(visitor);
  await visitor.context().setOffline(false);
  await expect(dialog).not.toContainText('Needs a connection');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(visitor.getByText('Thank you. An administrator will look at it.')).toBeVisible();
  await expectAccessible(visitor);
  await visitor.getByRole('button', { name: 'Done' }).click();
  await expect(visitor.getByRole('alertdialog')).toHaveCount(0);

  await new SignIn(page).enterAs(desk, 'first');
  await page.goto(`${desk.address}/?view=admin`);
  await expect(page.getByRole('button', { name: 'Library (1)' })).toBeVisible();
  await openSection(page, 'Library');
  const reports = card(page, 'Reports');
  await expect(reports).toContainText('Wrong channel: This is no aurora.');
  await expectAccessible(page);
  await reports.getByRole('button', { name: /^Hide video/ }).click();
  await expect(reports).toContainText('No video is reported.');
  await expect(page.getByRole('button', { name: 'Library', exact: true })).toBeVisible();
  await expect(card(page, 'Hidden videos').getByRole('button', { name: /^Show again/ })).toHaveCount(1);

  await visitor.clock.fastForward(limits.statusPollSeconds * 1000);
  await expect(visitor.locator(`section[data-video-id="${videoId}"]`)).toHaveCount(0);
  await theirs.waitUntilAllAdvance();
  await feed.play(desk.address);
  expect(Object.values(await feed.look()).map((picture) => picture.videoId)).not.toContain(videoId);

  // Others find the library as it was.
  await page.goto(`${desk.address}/?view=admin`);
  await openSection(page, 'Library');
  await card(page, 'Hidden videos').getByRole('button', { name: 'Show again' }).click();
  await poll(() => isPicked(desk, videoId), { message: 'it is drawn again' }).toBe(true);
  await visitor.close();
});
