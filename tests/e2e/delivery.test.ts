import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { quadrants } from '#contract/quadrants.ts';
import { startSwift } from '#tests/support/storage/swift-store.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { deliveries, uploadVideos, watchViolations } from './delivered.ts';
import { recordFronts } from './front-record.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

const uploaded = ['hue-000', 'hue-060', 'hue-120', 'hue-180', 'hue-240', 'hue-300'];

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
      const delivery = await deliver({ swift, site, atEnd });
      origin = delivery.origin;
      return delivery.env;
    });
    await uploadVideos(product, uploaded);
    const watched = await watchPage(page);

    await feed.play(product.address);
    for (const source of await page.locator('video[data-layer="front"]').evaluateAll(sourcesOf))
      expect(source.startsWith(origin)).toBe(true);
    const place = feed.quadrant('top-right').locator('video[data-layer="front"]');
    await place.evaluate((video: HTMLVideoElement) => {
      video.currentTime = 10;
    });
    await poll(async () => (await feed.look())['top-right'].time).toBeGreaterThan(10);

    await feed.waitForWorker();
    const fronts = await recordFronts(page);
    const refusal = await refuseNext(page, origin);
    await feed.skipByKey('top-left');
    await refusal.held;
    // The pick goes to the screen at once: it is not prepared out of sight.
    await feed.skipByKey('top-left');
    refusal.begin();
    await poll(async () => (await feed.look())['top-left'].videoId === refusal.videoId()).toBe(true);
    await expect(feed.quadrant('top-left')).toHaveAttribute('data-phase', 'playing');
    const steps = refusal.events.filter((event) => !event.endsWith('fetch'));
    expect([...new Set(steps)]).toEqual(['refused media', 'another address', 'sent media']);
    expect(steps.filter((event) => event === 'another address')).toHaveLength(1);
    const played = (await fronts.read('top-left')).filter(({ address }) => address.endsWith(renewed));
    expect(played.some(({ brightness, seconds }) => brightness > 0 && seconds > 0)).toBe(true);
    for (const quadrant of quadrants)
      for (const { text } of await fronts.read(quadrant)) expect(text).not.toMatch(/Video error|Waiting|Failed/);

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

    expect(await page.evaluate(() => window.violations)).toEqual([]);
    expect(watched.complaints).toEqual([]);
    expect(watched.fromServer).toEqual([]);
  });

/** Watches what the browser complains of, and which videos the server sends. */
async function watchPage(page: Page) {
  const watched = { complaints: [] as string[], fromServer: [] as string[] };
  await page.addInitScript(watchViolations);
  page.on('console', (message) => {
    if (/CORS|Content Security Policy/.test(message.text())) watched.complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().includes('/api/video/stream')) watched.fromServer.push(request.url());
  });
  return watched;
}

/** Marks an address that was given in place of another one; it is no part of what is asked for. */
const renewed = '#renewed';

/**
 * Holds the picks of the first quadrant back, and then refuses the bytes of the one that it plays until another address
 * is asked for. The server gives the same one within an hour, so the page gets it with a mark.
 */
async function refuseNext(page: Page, origin: string) {
  const events: string[] = [];
  const [held, begun] = [newPromise(), newPromise()];
  let refused = { id: '', url: 'none:' };
  await page.route('**/api/video/top-left?**', async (route) => {
    held.resolve();
    await begun.promise;
    const response = await route.fetch();
    if (events.length === 0) refused = await response.json();
    // One that another press has replaced hears no answer.
    await route.fulfill({ response }).catch(() => {});
  });
  await page.route('**/api/optimization/video-url', async (route) => {
    const response = await route.fetch();
    const reply = (await response.json()) as { url: string };
    events.push('another address');
    return route.fulfill({ response, json: { ...reply, url: reply.url + renewed } });
  });
  await page.route(`${origin}/**`, (route) => {
    const type = route.request().resourceType();
    if (new URL(route.request().url()).pathname !== new URL(refused.url).pathname) return route.fallback();
    const isRenewed = events.includes('another address');
    if (!isRenewed) events.push(`refused ${type}`);
    else if (!events.includes(`sent ${type}`)) events.push(`sent ${type}`);
    return isRenewed ? route.fallback() : route.fulfill({ status: 410 });
  });
  return { events, held: held.promise, begin: begun.resolve, videoId: () => refused.id };
}

function newPromise<Value = void>() {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
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
