import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { TagList } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import { expectAccessible } from './accessible.ts';
import { registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';
import { SignIn } from './sign-in.ts';
import { holdOk, openVenue, pinPad, venueLine, waitUntilFourMove } from './venue.ts';

const hourMs = 3_600_000;

async function enter(page: Page, pin: string): Promise<void> {
  for (const digit of pin) await page.keyboard.press(digit);
  await pinPad(page).getByRole('button', { name: 'OK' }).click();
}

test('somebody sets up a venue, which plays by itself after a reload, and only its PIN ends it', async ({
  page,
  feed,
  product,
}) => {
  await feed.play(product.address);
  await page.goto(`${product.address}/?view=profile`);
  const card = page.getByRole('region', { name: 'Venue mode' });
  await card.getByRole('button', { name: 'Set up' }).click();
  const dialog = page.getByRole('dialog', { name: 'Venue mode' });
  await expectAccessible(page);
  await dialog.getByLabel('Name of the place').fill('Bar');
  await dialog.getByLabel('PIN').fill('12');
  await dialog.getByRole('button', { name: 'Start venue mode' }).click();
  await expect(dialog.getByText('The PIN has 4 to 8 digits')).toBeVisible();
  await dialog.getByLabel('PIN').fill('1234');
  await dialog.getByRole('button', { name: 'Start venue mode' }).click();
  await waitUntilFourMove(page);

  await page.reload();
  await waitUntilFourMove(page);
  await expect(page.getByRole('button')).toHaveCount(0);
  await expectAccessible(page);

  await page.keyboard.press('m');
  await expect(venueLine(page)).toBeVisible();
  await page.goBack();
  await holdOk(page);
  await expectAccessible(page);
  const key = pinPad(page).getByRole('button', { name: '1', exact: true });
  const place = await key.boundingBox();
  await enter(page, '4321');
  await expect(pinPad(page).getByText('Wrong PIN.')).toBeVisible();
  expect(await key.boundingBox(), 'no key moves under a finger').toEqual(place);
  await page.keyboard.press('Escape');
  await expect(pinPad(page)).toHaveCount(0);
  await waitUntilFourMove(page);

  const middle = page.viewportSize() ?? { width: 0, height: 0 };
  await page.mouse.move(middle.width / 4, middle.height / 4);
  await page.mouse.down();
  await expect(pinPad(page)).toBeVisible();
  await page.mouse.up();
  await enter(page, '1234');
  await expect(card.getByText('This screen is Bar. It is locked again on the feed.')).toBeVisible();
  await card.getByRole('button', { name: 'Back to the videos' }).click();
  await waitUntilFourMove(page);
  await holdOk(page);
  await enter(page, '1234');
  await card.getByRole('button', { name: 'End venue mode' }).click();
  await page.goto(product.address);
  await expect(feed.start).toBeVisible();
});

test('its address makes a screen a venue; its day, from closing to opening, runs by the clock', async ({
  page,
  openProduct,
}) => {
  const product = await openProduct({ names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] });
  await page.clock.install({ time: new Date(2026, 5, 1, 20, 0) });
  await openVenue(page, product.address, { hours: { opens: 8 * 60, closes: 22 * 60 } });
  await waitUntilFourMove(page);
  expect(new URL(page.url()).search).toBe('');

  await page.clock.fastForward(2 * hourMs + 60_000);
  const venue = page.locator('main[data-venue]');
  await expect(venue).toHaveAttribute('data-venue', 'closed');
  await expect(page.locator('video')).toHaveCount(0);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  for (let hour = 0; hour < 9; hour += 1) await page.clock.fastForward(hourMs);
  await expect(venue).toHaveAttribute('data-venue', 'closed');
  expect(asked.filter((path) => path !== '/healthz')).toEqual([]);

  // As with an update at night, which the page may have to be loaded for.
  await page.reload();
  await expect(venue).toHaveAttribute('data-venue', 'closed');
  await page.clock.runFor(10_000);
  expect(asked.filter((path) => path.startsWith('/api/video'))).toEqual([]);

  await page.clock.fastForward(hourMs + 60_000);
  await expect(venue).toHaveAttribute('data-venue', 'open');
  await waitUntilFourMove(page);
});

test('an administrator sees whether a venue plays, and ends one without its PIN', async ({ page, openProduct }) => {
  const product = await openProduct({ names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] });
  await registerAt(product, 'first');
  await new SignIn(page).enterAs(product, 'first');
  await page.goto(`${product.address}/?venue=1`);
  await waitUntilFourMove(page);
  const other = await page.context().newPage();
  await other.goto(`${product.address}/robots.txt`);
  await other.evaluate(() => localStorage.removeItem('fourfold.venue'));
  await other.goto(`${product.address}/?view=performance`);
  const row = other.getByRole('region', { name: 'Venues', exact: true }).getByRole('row', { name: /Venue/ });
  await expect(row).toContainText(/of 4/);
  await expectAccessible(other);
  await row.getByRole('button', { name: 'Forget Venue' }).click();
  await other.getByRole('button', { name: 'Forget', exact: true }).click();
  await expect(other.getByText('No screen is in venue mode.')).toBeVisible();

  await page.bringToFront();
  await page.evaluate(() => localStorage.setItem('fourfold.venue', 'on'));
  await page.goto(`${product.address}/?venue=0`);
  await expect(page.locator('section[data-quadrant]')).toHaveCount(4);
  expect(new URL(page.url()).search).toBe('');
});

/** The files of the visible videos, in reading order. */
const filesIn = (page: Page) =>
  page
    .locator('main[data-venue] video[data-layer="front"]')
    .evaluateAll((videos) =>
      videos.map((video) => new URL((video as HTMLVideoElement).currentSrc).searchParams.get('path') ?? ''),
    );

test('after a power cut four videos move without a tap, with pin and filter, also where the page starts before the server', async ({
  page,
  feed,
  openProduct,
}) => {
  const product = await openProduct('demo');
  await feed.play(product.address);
  await page.keyboard.press('v');
  await expect(feed.quadrant('bottom-right')).toHaveAttribute('data-pinned', 'true');
  await feed.quadrant('top-left').focus();
  await feed
    .quadrant('top-left')
    .evaluate((section) => section.dispatchEvent(new KeyboardEvent('keydown', { key: 'ChannelUp', bubbles: true })));
  await expect(feed.quadrant('top-left')).toHaveAttribute('data-filtered', 'true');
  const [channel] = (await send<TagList>(product, 'GET', '/api/tags', null)).tags;
  const listed = await send<VideoList>(product, 'GET', `/api/videos/by-tags?tag_ids=${channel?.id}`, null);
  const ofChannel = listed.videos.map(({ path }) => path);

  await page.mouse.move(1, 300);
  await page.getByRole('navigation', { name: 'Menu', exact: true }).getByRole('button', { name: 'Profile' }).click();
  await page.getByRole('region', { name: 'Venue mode' }).getByRole('button', { name: 'Set up' }).click();
  await page.getByRole('dialog', { name: 'Venue mode' }).getByRole('button', { name: 'Start venue mode' }).click();
  await waitUntilFourMove(page);
  const pinned = (await filesIn(page))[3];
  const expectAsBefore = async (screen: Page) => {
    await waitUntilFourMove(screen);
    await expect(screen.getByRole('button')).toHaveCount(0);
    await poll(async () => (await filesIn(screen))[3], { message: 'the pin is back' }).toBe(pinned);
    await poll(async () => ofChannel.includes((await filesIn(screen))[0] ?? ''), {
      message: 'the filter holds',
    }).toBe(true);
  };
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));

  await Promise.all([product.kill(), page.close()]);
  await product.start();
  const again = await page.context().newPage();
  await again.goto(product.address);
  await expectAsBefore(again);

  await Promise.all([product.kill(), again.close()]);
  const early = await page.context().newPage();
  await early.goto(product.address);
  await expect(early.locator('main[data-venue="open"]')).toBeVisible();
  await product.start();
  await expectAsBefore(early);
});
