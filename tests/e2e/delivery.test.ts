import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import type { UploadSession } from '#contract/entities/upload.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { Site } from '#tests/support/product.ts';
import { startDeliveringNginx } from '#tests/support/storage/delivering-nginx.ts';
import type { SwiftStore } from '#tests/support/storage/swift-store.ts';
import { startSwift } from '#tests/support/storage/swift-store.ts';
import { acceptAgreement, registerAt, send } from './accounts.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

const uploaded = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];
const key = 'a key of nginx';

interface Delivered {
  env: Record<string, string>;
  origin: string;
}

/** The settings of a site whose videos come from elsewhere, and where that is. */
const deliveries: Record<string, (swift: SwiftStore, site: string, atEnd: AtEnd) => Promise<Delivered>> = {
  async 'the store itself'(swift) {
    await swift.makeBucket('films');
    const env = { STORAGE_URL: swift.url('films'), STORAGE_SECRET: swift.secret, DELIVERY: 'store' };
    return { env, origin: `http://${swift.host}` };
  },
  async 'an nginx in front of the store'(swift, site, atEnd) {
    const from = await swift.makeOpenBucket('films');
    const origin = await startDeliveringNginx({ from, key, site }, atEnd);
    const store = { STORAGE_URL: swift.url('films/ours'), STORAGE_SECRET: swift.secret };
    return { env: { ...store, DELIVERY: origin, DELIVERY_SIGNING: 'nginx', DELIVERY_KEY: key }, origin };
  },
};

type AtEnd = (end: () => void | Promise<void>) => void;

for (const [name, deliver] of Object.entries(deliveries))
  test(`whoever watches videos from ${name} plays, seeks, skips and keeps them, and an address that is refused is replaced without a word`, async ({
    page,
    feed,
    endings,
    openProduct,
  }) => {
    const atEnd: AtEnd = (end) => endings.unshift(async () => end());
    const swift = await startSwift(atEnd);
    if (swift === null) return test.skip();
    let origin = '';
    const product = await openProduct({ names: [] }, async (site) => {
      const delivered = await deliver(swift, site, atEnd);
      origin = delivered.origin;
      return { ...delivered.env, DERIVED_GB: '0' };
    });
    await upload(product, uploaded);
    const watched = await watchPage(page);

    await feed.play(product.address);
    for (const source of await page.locator('video[data-layer="front"]').evaluateAll(sourcesOf))
      expect(source.startsWith(origin)).toBe(true);
    const place = feed.quadrant('top-right').locator('video[data-layer="front"]');
    await place.evaluate((video: HTMLVideoElement) => {
      video.currentTime = 10;
    });
    await poll(async () => (await feed.look())['top-right'].time).toBeGreaterThan(10);

    let refused = 0;
    await feed.waitForWorker();
    await page.route(`${origin}/**`, (route) => {
      if (refused > 0) return route.fallback();
      refused += 1;
      return route.fulfill({ status: 410 });
    });
    const { videoId } = (await feed.look())['top-left'];
    await feed.skipByKey('top-left');
    await feed.skipByKey('top-left');
    await feed.waitForOtherVideo('top-left', videoId);
    for (const quadrant of quadrants) await expect(feed.quadrant(quadrant)).not.toContainText('Video error');

    expect(watched.complaints).toEqual([]);
    // A worker of the time before keeps a page that may not reach the origin, and may come to try it.
    await page.evaluate(readStoredPolicies, origin);
    await page.goto(product.address);
    await poll(async () => (await page.evaluate(readStoredPolicies, '')).join()).toContain(origin);
    await page.goto('about:blank');
    watched.complaints.length = 0;
    await feed.play(product.address);

    await feed.keepOffline('top-left');
    await page.goto(`${product.address}/?view=profile`);
    const kept = page.getByRole('region', { name: 'Kept on this device' });
    await expect(kept.getByText(/^Kept offline · /)).toHaveCount(1);

    expect(refused).toBe(1);
    expect(await page.evaluate(() => window.violations)).toEqual([]);
    expect(watched.complaints).toEqual([]);
    expect(watched.fromServer).toEqual([]);
  });

declare global {
  interface Window {
    /** What the page did against its own policy. */
    violations: string[];
  }
}

/** Watches what the browser complains of, and which videos the server sends. */
async function watchPage(page: Page) {
  const watched = { complaints: [] as string[], fromServer: [] as string[] };
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      window.violations.push(`${violatedDirective}: ${blockedURI}`),
    );
  });
  page.on('console', (message) => {
    if (/CORS|Content Security Policy/.test(message.text())) watched.complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().includes('/api/video/stream')) watched.fromServer.push(request.url());
  });
  return watched;
}

/** Runs in the page. @param without what the policies of stored pages are to forget; empty: nothing */
async function readStoredPolicies(without: string): Promise<string[]> {
  const name = 'content-security-policy';
  const policies: string[] = [];
  for (const key of await caches.keys()) {
    const cache = await caches.open(key);
    for (const request of await cache.keys()) {
      const page = await cache.match(request);
      if (!page || !request.url.includes('/index.html')) continue;
      const headers = new Headers(page.headers);
      headers.set(name, (headers.get(name) ?? '').replaceAll(without === '' ? '\n' : ` ${without}`, ''));
      if (without !== '') await cache.put(request, new Response(await page.blob(), { headers }));
      policies.push(headers.get(name) ?? '');
    }
  }
  return policies;
}

function sourcesOf(videos: Element[]): string[] {
  return videos.map((video) => (video as HTMLVideoElement).currentSrc);
}

async function upload(product: Site, names: readonly string[]): Promise<void> {
  const account = await registerAt(product, 'first');
  await acceptAgreement(product, account);
  const { access_token: token } = account;
  const uploadOne = async (name: string) => {
    const bytes = await readFile(fileURLToPath(new URL(`../fixtures/videos/${name}.mp4`, import.meta.url)));
    const files = [{ filename: `${name}.mp4`, file_size: bytes.length }];
    const session = await send<UploadSession>(product, 'POST', '/api/upload/initiate', token, { files });
    const { session_id, bunny_access_key: accesskey, files: begun } = session;
    const headers = { accesskey, 'content-type': 'video/mp4' };
    const answer = await fetch(new URL(begun[0]?.address ?? '', product.address), {
      method: 'PUT',
      headers,
      body: bytes,
    });
    expect(answer.status).toBe(201);
    await send(product, 'POST', `/api/upload/complete/${session_id}`, token, { session_id, files: [] });
  };
  await Promise.all(names.map(uploadOne));
}
