import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { startGoBetween } from '#tests/support/go-between.ts';
import type { Site } from '#tests/support/product.ts';
import { acceptAgreement, registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';

const offer = 'A new version of Fourfold is ready.';
const video = fileURLToPath(new URL('../fixtures/videos/brief-000.mp4', import.meta.url));

test('uploads go on while one browses: the menu and a pill say so, and a new version waits until they are done', async ({
  page,
  inbox,
}) => {
  const network = await startGoBetween(inbox.address);
  let letThrough = () => {};
  const isOpen = new Promise<void>((resolve) => (letThrough = resolve));
  let nextWorker: string | null = null;
  network.interfere(async (path) => {
    if (path.startsWith('/api/upload/address/')) await isOpen;
    if (path !== '/sw.js' || nextWorker === null) return null;
    return { headers: { 'content-type': 'text/javascript' }, body: nextWorker };
  });
  await enterAsUploader(page, { ...inbox, address: network.address });

  await startUpload(page);
  await browseTo(page, 'Videos');
  const pill = page.getByRole('complementary', { name: 'Uploads' });
  await expect(pill).toHaveText(/^1 file/);

  nextWorker = `${await (await page.request.get(`${network.address}/sw.js`)).text()}\n// the next build`;
  await page.evaluate(waitForNext);
  await expect(page.getByText(offer)).toBeHidden();

  letThrough();
  await expect(page.getByText('1 video is uploaded.')).toBeAttached();
  await expect(pill).toBeHidden();
  await expect(page.getByText(offer)).toBeVisible();
  await network.close();
});

/** From the second visit on the worker is there. */
async function enterAsUploader(page: Page, site: Site): Promise<void> {
  await acceptAgreement(site, await registerAt(site, 'una'));
  await new SignIn(page).enterAs(site, 'una');
  for (const address of ['/', '/?view=upload']) {
    await page.goto(site.address + address);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  }
}

/** By the browser's own field: its picker of handles is drawn by the system. */
async function startUpload(page: Page): Promise<void> {
  await page.getByLabel('Videos', { exact: true }).setInputFiles(video);
  await page.getByRole('button', { name: /^Upload 1 file/ }).click();
}

async function browseTo(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  const menu = page.getByRole('navigation', { name: 'Menu', exact: true });
  await expect(menu.getByRole('button', { name: /^Upload/ })).toContainText('1 file');
  await menu.getByRole('button', { name }).click();
}

/** Runs in the page: looks for a new version, and waits until it is installed. */
async function waitForNext(): Promise<void> {
  const registration = await navigator.serviceWorker.ready;
  const { installing } = await registration.update();
  if (!installing) return;
  await new Promise<void>((resolve) => {
    installing.onstatechange = () => installing.state === 'installed' && resolve();
  });
}
