import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { JobKindList } from '#contract/entities/library.ts';
import type { TagList } from '#contract/entities/tag.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt, send } from './accounts.ts';
import { crawl } from './crawl.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';
import { listTvFaults } from './tv-layout.ts';

const encoding = ['-vf', 'scale=320:180', '-t', '2', '-r', '25', '-c:v', 'libx264', '-preset', 'ultrafast'];

test('an administrator finds a copy and a smaller encoding side by side, hides one with its channels on the other, and brings it back', async ({
  page,
  openProduct,
  endings,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-duplicates-'));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const film = makeWithFfmpeg(join(folder, 'film.mp4'), '-f', 'lavfi', '-i', 'testsrc2', ...encoding);
  const other = makeWithFfmpeg(join(folder, 'other.mp4'), '-f', 'lavfi', '-i', 'mandelbrot', ...encoding);
  const small = makeWithFfmpeg(join(folder, 'small.mp4'), '-i', film, ...encoding, '-crf', '40');
  const files = { 'A/film.mp4': film, 'B/film.mp4': film, 'B/small.mp4': small, 'B/other.mp4': other };
  const product = await openProduct({ files }, { FFMPEG_PATH: '' });
  const { access_token: token } = await registerAt(product, 'ada');
  const countPosters = async () => {
    const { kinds } = await send<JobKindList>(product, 'GET', '/api/admin/jobs/kinds', token);
    return kinds.find(({ kind }) => kind === 'poster')?.done ?? 0;
  };
  await poll(countPosters, { message: 'all posters are made' }).toBe(4);

  await new SignIn(page).enterAs(product, 'ada');
  await page.goto(`${product.address}/?view=admin`);
  const openSection = () =>
    page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Duplicates' }).click();
  await openSection();
  await expect(page.getByText('No search has come to its end yet.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Search now' }).click();
  const group = page.getByRole('region', { name: 'Film', exact: true });
  await expect(group.getByRole('listitem')).toHaveCount(3);
  await expect(page.getByRole('button', { name: 'Search now' })).toBeEnabled();
  await expect(group.getByRole('listitem').filter({ hasText: 'B/film.mp4' })).toContainText('Equal content');
  await expect(group.getByRole('listitem').filter({ hasText: 'B/small.mp4' })).toContainText(/Stills \d+ % alike/);
  await expectAccessible(page);

  // By keys alone: the focus stays where it is when the button changes its meaning.
  await group.getByRole('button', { name: 'Hide B/film.mp4' }).focus();
  await page.keyboard.press('Enter');
  await expect(group.getByRole('button', { name: 'Show again B/film.mp4' })).toBeFocused();
  await expect(group).toContainText('Hidden. Its channels and favourites stay with it.');
  await group.getByRole('button', { name: 'Add its channels to the other B/film.mp4' }).click();
  await expect(group).toContainText('Its channels are on A/film.mp4 too.');
  const { tags } = await send<TagList>(product, 'GET', '/api/tags', token);
  expect(tags.map(({ name, video_count }) => [name, video_count])).toEqual([
    ['A', 1],
    ['B', 3],
  ]);
  await expectAccessible(page);
  await group.getByRole('button', { name: 'Show again B/film.mp4' }).click();
  await expect(group).toContainText('Shown again.');

  await page.goto(`${product.address}/?form=tv&view=admin`);
  const tab = page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Duplicates' });
  // The keys are heard once the screen is there; the menu is drawn at once when it has been open before.
  await expect(tab).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await page.keyboard.press('ContextMenu');
  await expect(menu).toBeVisible();
  await page.keyboard.press('ContextMenu');
  await expect(menu).toBeHidden();
  await tab.focus();
  await page.keyboard.press('Enter');
  await expect(group.getByRole('listitem')).toHaveCount(3);
  await expectAccessible(page);
  for (const [width, height] of [
    [960, 540],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect((await crawl(page)).unreached, `at ${width}`).toEqual([]);
    expect(await page.evaluate(listTvFaults), `at ${width}`).toEqual([]);
  }
  await group.getByRole('button', { name: /^Keep all/ }).focus();
  await page.keyboard.press('Enter');
  await expect(group).toContainText('Kept. They are not listed here any more.');
  await tab.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await expect(page.getByText('No duplicates were found.')).toBeVisible();
});
