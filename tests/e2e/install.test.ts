import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect } from '@playwright/test';
import { test } from './journey.ts';

interface Manifest {
  readonly icons: readonly { readonly src: string; readonly sizes: string; readonly type: string }[];
}

test('a browser finds nothing that keeps the app from being installed', async ({ product, launchOptions }) => {
  // A private window, as tests get, cannot install at all: this one has a profile.
  const profile = await mkdtemp(join(tmpdir(), 'fourfold-profile-'));
  const context = await chromium.launchPersistentContext(profile, launchOptions);
  try {
    const page = await context.newPage();
    await page.goto(product.address);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    const devtools = await context.newCDPSession(page);
    const { url, errors, data } = await devtools.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const manifest = JSON.parse(data ?? '{}') as Manifest;
    expect(manifest).toMatchObject({ name: 'Fourfold', start_url: expect.stringMatching(/^\//) });
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']));
    for (const { src, type } of manifest.icons) {
      const icon = await page.request.get(new URL(src, url).href);
      expect(icon.headers()['content-type'], src).toBe(type);
    }
    // A browser without windows, as the packaged one is, finds no fault in anything.
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    expect(installabilityErrors).toEqual([]);
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
});
