import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { expect } from '@playwright/test';
import { expectView } from './every-view.ts';
import { test } from './journey.ts';

interface Received {
  query: URLSearchParams;
  /** Would tell the address of the page. */
  referrer: string | undefined;
}

/** Counts page views on loopback, as a service of the operator's would, and answers with `status`. */
async function startCollector(status: number) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    received.push({ query: searchParams, referrer: request.headers.referer });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    received,
    endpoint: `http://127.0.0.1:${port}/collect`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function openProfileAndReturn(page: Page): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/?view=profile`);
  await expectView(page, 'Profile');
  await page.getByRole('navigation', { name: 'Menu, collapsed' }).getByRole('button', { name: 'Feed' }).click();
  await expectView(page, 'Feed');
}

test('each view is counted once without an address, and a service that fails or is gone disturbs nobody', async ({
  page,
  feed,
  openProduct,
}) => {
  const collector = await startCollector(500);
  const product = await openProduct(
    { names: ['hue-000', 'hue-090', 'hue-180', 'hue-270'] },
    { ANALYTICS_MEASUREMENT_ID: 'G-TEST', ANALYTICS_ENDPOINT: collector.endpoint },
  );
  await page.goto(product.address);
  await feed.waitForStills();
  await openProfileAndReturn(page);

  await expect.poll(() => collector.received.length).toBe(6);
  const events = collector.received.map(({ query }) => [
    query.get('en'),
    query.get('ep.view') ?? query.get('ep.page_title'),
  ]);
  for (const view of ['feed', 'profile', 'feed'])
    expect(events).toEqual(
      expect.arrayContaining([
        ['page_view', view],
        ['navigation', view],
      ]),
    );
  for (const { query, referrer } of collector.received) {
    expect(query.get('aip')).toBe('1');
    expect(query.toString()).not.toContain(new URL(product.address).host);
    expect(referrer).toBeUndefined();
  }

  await collector.close();
  await openProfileAndReturn(page);
  await feed.waitForStills();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('without a service that the operator named nothing is asked of anybody else', async ({ page, feed, product }) => {
  const others: string[] = [];
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(product.address)) others.push(request.url());
  });
  await page.goto('/');
  await feed.waitForStills();
  await openProfileAndReturn(page);
  expect(others).toEqual([]);
});
