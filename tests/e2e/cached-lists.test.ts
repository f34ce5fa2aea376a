import { expect } from '@playwright/test';
import { startGoBetween } from '#tests/support/go-between.ts';
import { test } from './journey.ts';
import { poll } from './poll.ts';

const address = '/api/tags?limit=100';
const list = { headers: { 'content-type': 'application/json' }, body: '{"tags":[],"total":0}' };

interface Told {
  body: string;
  cachedAt: number | null;
}

/** What a call of the page brings; null: no answer. In the page. */
async function ask({ address, mark }: { address: string; mark: string | null }): Promise<Told | null> {
  const headers: Record<string, string> = mark === null ? {} : { 'X-Viewer-Mark': mark };
  const response = await fetch(address, { headers }).catch(() => null);
  if (!response) return null;
  const cachedAt = response.headers.get('X-Cached-At');
  return { body: await response.text(), cachedAt: cachedAt === null ? null : Number(cachedAt) };
}

/** The mark that the app has stored; null: none yet. The database is the app's to make. In the page. */
function readMark(): Promise<string | null> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('fourfold');
    opening.onupgradeneeded = () => opening.transaction?.abort();
    opening.onerror = () => resolve(null);
    opening.onsuccess = () => {
      const database = opening.result;
      const reading = database.transaction('facts').objectStore('facts').get('viewer');
      reading.onsuccess = () => {
        database.close();
        resolve(reading.result?.mark ?? null);
      };
    };
  });
}

test('the worker answers a list that it has stored when the server is gone, to its viewer alone', async ({
  page,
  feed,
  product,
}) => {
  const network = await startGoBetween(product.address);
  network.interfere((path) => (path === address ? list : null));
  await feed.play(network.address);
  await feed.waitForWorker();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await poll(() => page.evaluate(readMark), { message: 'a mark' }).not.toBeNull();
  const mark = await page.evaluate(readMark);
  const askAs = (own: string | null) => page.evaluate(ask, { address, mark: own });
  expect(await askAs(mark)).toEqual({ body: list.body, cachedAt: null });

  await network.close();

  await poll(() => askAs(mark), { message: 'the stored list' }).toEqual({
    body: list.body,
    cachedAt: expect.any(Number),
  });
  expect(await Promise.all([askAs(null), askAs('another')])).toEqual([null, null]);
});
