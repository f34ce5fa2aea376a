import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { GoBetween } from '#tests/support/go-between.ts';
import { startGoBetween } from '#tests/support/go-between.ts';
import type { Feed } from './feed.ts';
import { test } from './journey.ts';
import { countKept } from './kept-in-page.ts';
import { poll } from './poll.ts';
import { openReleasedProduct, waitForRelease } from './released.ts';

const sentence = 'A new version of Fourfold is ready.';

test('a new version asks first: nothing reloads by itself, and Reload reloads once', async ({
  page,
  feed,
  product,
}) => {
  const network = await startGoBetween(product.address);
  await visitTwice(feed, network.address);
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });

  await release(page, network);
  await expect(page.getByText(sentence)).toBeVisible();
  await feed.waitUntilAllAdvance();
  expect(loads).toBe(0);

  await page.getByRole('button', { name: 'Reload' }).click();
  await poll(() => loads, { message: 'the page reloads' }).toBe(1);
  await feed.waitForStills();
  await expect(page.getByText(sentence)).toBeHidden();
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBeNull();
  expect(loads).toBe(1);
  await network.close();
});

test("'Not now' puts the question away and leaves the videos playing", async ({ page, feed, product }) => {
  const network = await startGoBetween(product.address);
  await visitTwice(feed, network.address);
  await release(page, network);

  await page.getByRole('button', { name: 'Not now' }).click();

  await expect(page.getByText(sentence)).toBeHidden();
  await feed.waitUntilAllAdvance();
  await network.close();
});

test('a new version of which one file is answered with a page is not installed, and the old one starts again', async ({
  page,
  feed,
  product,
}) => {
  const network = await startGoBetween(product.address);
  await visitTwice(feed, network.address);
  const worker = await (await page.request.get(`${network.address}/sw.js`)).text();
  const [script = ''] = /assets\/engine-[\w-]+\.js/.exec(worker) ?? [];
  const portal = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><p>Sign in to use the network</p>' };
  const asked: string[] = [];
  network.interfere((path) => {
    asked.push(path);
    if (path === '/sw.js')
      return {
        headers: { 'content-type': 'text/javascript' },
        body: worker.split(script).join('assets/engine-next.js'),
      };
    return path === '/assets/engine-next.js' ? portal : null;
  });

  expect(await page.evaluate(installNext)).toBe('redundant');

  expect(asked).toContain('/assets/engine-next.js');
  await expect(page.getByText(sentence)).toBeHidden();
  await page.reload();
  await feed.waitForStills();
  await network.close();
});

test('a build whose files have other names comes beside the one that plays, takes over when asked, and plays what was kept', async ({
  page,
  feed,
  endings,
}) => {
  const product = await openReleasedProduct(endings);
  await visitTwice(feed, product.address);
  await feed.keepOffline('top-left');
  await feed.openMenu('top-left');
  await expect(page.getByRole('button', { name: 'Kept offline' })).toBeVisible();
  await page.keyboard.press('Escape');
  const script = await page.locator('script[src^="/assets/"]').first().getAttribute('src');
  let loads = 0;
  page.on('load', () => {
    loads += 1;
  });

  await product.release();
  expect(await page.evaluate(installNext)).toBe('installed');
  await expect(page.getByText(sentence)).toBeVisible();
  // The files of the build that plays are no longer on the server, those of a view that was not opened among them.
  expect((await page.request.get(`${product.address}${script}`)).status()).toBe(404);
  await page.mouse.move(4, 400);
  await page.getByRole('navigation', { name: 'Menu', exact: true }).getByRole('button', { name: 'Videos' }).click();
  await expect(page.getByRole('button', { name: 'Newest' })).toBeVisible();
  expect(loads).toBe(0);

  await page.getByRole('button', { name: 'Reload' }).click();
  await waitForRelease(page);
  await feed.waitForStills();
  expect(await page.locator(`script[src="${script}"]`).count()).toBe(0);
  await expect(page.getByText(sentence)).toBeHidden();

  await product.stop();
  await feed.play(product.address);
  await expect(feed.savedPill).toBeVisible();
  expect(await page.evaluate(countKept, 'chosen')).toBe(1);
});

/** Runs in the page: looks for a new version. Returns what became of it. */
async function installNext(): Promise<string> {
  const registration = await navigator.serviceWorker.ready;
  const { installing } = await registration.update();
  if (!installing) return 'none';
  return new Promise((resolve) => {
    installing.onstatechange = () => resolve(installing.state);
  });
}

/** From the second visit on, the page comes from the worker; before that, a new one has nobody to ask. */
async function visitTwice(feed: Feed, address: string): Promise<void> {
  await feed.open(address);
  await feed.waitForWorker();
  await feed.play(address);
  await expect(feed.page.getByText(sentence)).toBeHidden();
}

/** Another build's worker stands at the address, and the hourly look for one comes. */
async function release(page: Page, network: GoBetween): Promise<void> {
  const worker = await (await page.request.get(`${network.address}/sw.js`)).text();
  network.interfere((path) =>
    path === '/sw.js' ? { headers: { 'content-type': 'text/javascript' }, body: `${worker}\n// the next build` } : null,
  );
  await page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()));
}
