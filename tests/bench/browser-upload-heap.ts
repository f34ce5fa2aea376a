import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { chromium } from '@playwright/test';
import { limits } from '#contract/limits.ts';
import { acceptAgreement, registerAt } from '#tests/e2e/accounts.ts';
import { SignIn } from '#tests/e2e/sign-in.ts';
import { pickOwnFiles, Uploads } from '#tests/e2e/uploads.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { startProduct } from '#tests/support/product.ts';
import { browserOptions } from './browser.ts';
import { amount } from './form.ts';
import { printAmounts } from './table.ts';

const megabyte = 1024 ** 2;
/** Parts have their largest size by then. */
const sentBytes = amount(512, 32) * megabyte;
const sampleEveryMs = 100;

/** What a page holds in memory while it sends the largest file there can be, which has holes for bytes. */
export async function measureUploadHeap(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), await browserOptions());
  const product = await startProduct();
  const network = await FaultyNetwork.start(product.address);
  try {
    await acceptAgreement(product, await registerAt(product, 'first'));
    await pickOwnFiles(context);
    const page = await context.newPage();
    await new SignIn(page).enterAs({ ...product, address: network.address }, 'first');
    await page.evaluate(putEmptyFile, limits.uploadBytes);
    const before = network.toServer.bytes;
    const value = await watchHeap(context, page, async () => {
      const uploads = new Uploads(page);
      await uploads.open(network.address);
      await uploads.addOwnFiles(1);
      await uploads.start();
      await network.toServer.whenForwarded(before + sentBytes);
    });
    const what = 'heap with all buffers, at most';
    printAmounts('A file of 5 GB from a browser', [{ what, value, unit: 'MB', goal: 100, floor: 200 }]);
  } finally {
    await context.close();
    await network.close();
    await product.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the most that was seen, in megabytes */
async function watchHeap(context: BrowserContext, page: Page, work: () => Promise<void>): Promise<number> {
  const devtools = await context.newCDPSession(page);
  let most = 0;
  const sample = async () => {
    const usage = await devtools.send('Runtime.getHeapUsage');
    most = Math.max(most, usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize);
  };
  // A sample while the page is loaded anew is none.
  const timer = setInterval(() => void sample().catch(() => {}), sampleEveryMs);
  await work();
  clearInterval(timer);
  await sample();
  return most / megabyte;
}

/** In the page. */
async function putEmptyFile(bytes: number): Promise<void> {
  const handle = await (await navigator.storage.getDirectory()).getFileHandle('film.mp4', { create: true });
  const writable = await handle.createWritable();
  await writable.truncate(bytes);
  await writable.close();
}
