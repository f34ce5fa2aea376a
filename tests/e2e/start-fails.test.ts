import { expect } from '@playwright/test';
import { Feed } from './feed.ts';
import { test } from './journey.ts';
import { leastTargetPx } from './thumbs.ts';

test.describe('without a worker', () => {
  test.use({ serviceWorkers: 'block' });

  for (const file of ['engine', 'draw-app']) {
    test(`when the file '${file}' cannot be had, the loading screen says so, with no picture over it, and offers to reload`, async ({
      page,
      product,
    }) => {
      await page.route(`**/assets/${file}-*.js`, (route) => route.abort());
      await page.goto(product.address);
      await expect(page.getByText('Fourfold could not start.')).toBeVisible();
      await page.unroute(`**/assets/${file}-*.js`);
      const reload = page.getByRole('link', { name: 'Reload' });
      const { width = 0, height = 0 } = (await reload.boundingBox()) ?? {};
      expect(Math.min(width, height), 'a target for a thumb').toBeGreaterThanOrEqual(leastTargetPx);
      // A press meets what lies on top.
      await reload.click();
      await expect(page.getByRole('button', { name: 'Tap anywhere to play all videos' })).toBeVisible();
    });
  }

  test('without the file of the menu and of all other views the feed plays, and an address of a view offers to reload', async ({
    page,
    product,
  }) => {
    await page.route('**/assets/watching-*.js', (route) => route.abort());
    const feed = new Feed(page);
    await feed.play(product.address);
    await feed.waitUntilAllAdvance();
    await page.goto(`${product.address}/?view=channels`);
    await expect(page.getByRole('alert')).toContainText('This view could not be loaded.');
    await page.unroute('**/assets/watching-*.js');

    await page.goto(`${product.address}/?view=channels`);

    await expect(page.getByRole('heading', { name: 'Videos', level: 1 })).toBeVisible();
  });

  test('a view whose style sheet cannot be had says so, and asks for it when it is opened again', async ({
    page,
    product,
  }) => {
    const sheet = '**/assets/videos-screen-*.css';
    await page.route(sheet, (route) => route.abort());
    await page.goto(`${product.address}/?view=channels`);
    await expect(page.getByText('This view could not be loaded.')).toBeVisible();
    await page.unroute(sheet);
    await page.goBack();
    await new Feed(page).waitForStills();
    await page.mouse.move(5, 400);
    const menu = page.getByRole('navigation', { name: 'Menu', exact: true });

    const [answer] = await Promise.all([
      page.waitForResponse(sheet),
      menu.getByRole('button', { name: 'Videos', exact: true }).click(),
    ]);

    expect(answer.status()).toBe(200);
    await expect(page.getByRole('heading', { name: 'No channels available' })).toBeVisible();
  });
});

test("a wrong file in the worker's cache fails every start until Reload, which leaves what the viewer has", async ({
  page,
  product,
}) => {
  const feed = new Feed(page);
  await feed.open(product.address);
  await feed.waitForWorker();
  await page.evaluate(poisonEngine);
  await page.reload();
  await expect(page.getByText('Fourfold could not start.')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Fourfold could not start.')).toBeVisible();

  await page.getByRole('link', { name: 'Reload' }).click();

  await expect(page.getByRole('button', { name: 'Tap anywhere to play all videos' })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem('of-the-viewer'))).toBe('kept');
  // The worker that comes next keeps the right files.
  await feed.waitForWorker();
  await page.reload();
  await feed.waitForStills();
});

/** Runs in the page: what a version before this one could keep of an intermediary. */
async function poisonEngine(): Promise<void> {
  localStorage.setItem('of-the-viewer', 'kept');
  const name = (await caches.keys()).find((key) => key.startsWith('workbox-precache')) ?? '';
  const cache = await caches.open(name);
  const engine = (await cache.keys()).find(({ url }) => url.includes('/assets/engine-'));
  if (!engine) throw new Error('The worker keeps no engine.');
  await cache.put(engine, new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }));
}
