import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from '@playwright/test';
import { chromium, expect } from '@playwright/test';
import sharp from 'sharp';
import { test } from './journey.ts';

interface Icon {
  readonly src: string;
  readonly sizes: string;
  readonly type: string;
  readonly purpose?: string;
}

interface Manifest {
  readonly name: string;
  readonly start_url: string;
  readonly scope: string;
  readonly display: string;
  readonly icons: readonly Icon[];
  readonly prefer_related_applications?: boolean;
}

test('nothing keeps the app from being installed', async ({ product, launchOptions }) => {
  // A private window, as tests get, cannot install at all: this one has a profile.
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-profile-'));
  const context = await chromium.launchPersistentContext(profile, launchOptions);
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await page.goto(`${product.address}/robots.txt`);
    const judges = (await listFaults(devtools)).length > 0;

    await page.goto(product.address);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    const { url, errors, data } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    await expectInstallable(page, url, JSON.parse(data ?? '{}') as Manifest);
    // A browser without windows, as the packaged one is, finds no fault in a page without a manifest either: its word
    // counts for nothing.
    if (judges) expect(await listFaults(devtools)).toEqual([]);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

async function listFaults(devtools: CDPSession): Promise<unknown[]> {
  return (await devtools.send('Page.getInstallabilityErrors')).installabilityErrors;
}

/** What Chromium asks of an app: https://web.dev/articles/install-criteria. */
async function expectInstallable(page: Page, manifestUrl: string, manifest: Manifest): Promise<void> {
  expect(await page.evaluate(() => isSecureContext)).toBe(true);
  expect(await page.evaluate(() => document.querySelectorAll('link[rel="manifest"]').length)).toBe(1);
  expect(manifest).toMatchObject({
    name: 'Fourfold',
    display: expect.stringMatching(/^(standalone|fullscreen|minimal-ui)$/),
  });
  expect(manifest.prefer_related_applications ?? false).toBe(false);
  const scope = new URL(manifest.scope, manifestUrl).href;
  const start = new URL(manifest.start_url, manifestUrl).href;
  expect(page.url().startsWith(scope) && start.startsWith(scope)).toBe(true);
  expect((await page.request.get(start)).ok()).toBe(true);
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.scope)).toBe(scope);

  expect(manifest.icons.filter(({ purpose = 'any' }) => purpose === 'any').map(({ sizes }) => sizes)).toEqual(
    expect.arrayContaining(['192x192', '512x512']),
  );
  for (const { src, sizes, type } of manifest.icons) {
    const icon = await page.request.get(new URL(src, manifestUrl).href);
    expect(icon.headers()['content-type'], src).toBe(type);
    const { width, height, format } = await sharp(await icon.body()).metadata();
    expect([`${width}x${height}`, `image/${format}`], src).toEqual([sizes, type]);
  }
}
