import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import { chromium, expect } from '@playwright/test';
import { acceptAgreement, registerAt } from '#tests/e2e/accounts.ts';
import { SignIn } from '#tests/e2e/sign-in.ts';
import { digestsOf, pickOwnFiles, putOwnFile, Uploads } from '#tests/e2e/uploads.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { cutAtRandom } from '#tests/support/network/random-cuts.ts';
import type { Product } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';
import { browserOptions } from './browser.ts';
import { amount } from './form.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const mib = 1024 ** 2;
/** Of two files: one is copied by the app, of the other one it has a handle. */
const bytes = Number(process.env.MEBIBYTES ?? amount(1_024, 64)) * mib;
const cuts = Number(process.env.CUTS ?? amount(50, 2));
const seed = Number(process.env.SEED ?? 17);
const crashes = amount(3, 1);
/** For each connection: what has left the browser has reached the server, and does not lie between them. */
const bytesPerSecond = 6 * mib;
const doneWithinMs = 900_000;

interface Stage {
  readonly context: BrowserContext;
  readonly product: Product;
  readonly network: FaultyNetwork;
}

/** Files on their way from a browser, over a link that breaks. `MEBIBYTES`, `CUTS` and `SEED` say how much and how. */
export async function measureBrowserUploads(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-bench-'));
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), await browserOptions());
  const product = await startProduct();
  const network = await FaultyNetwork.start(product.address);
  try {
    printAmounts(
      `${bytes / mib} MiB from a browser, ${cuts} cuts, ${crashes} crashed tabs, a killed server, seed ${seed}`,
      await sendOverBreaks({ context, product, network }, folder),
    );
  } finally {
    await context.close();
    await network.close();
    await product.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

async function sendOverBreaks(stage: Stage, folder: string): Promise<Amount[]> {
  const { context, product, network } = stage;
  const [staged, own] = [join(folder, 'staged.mp4'), join(folder, 'own.mp4')];
  const digests = [await writeLargeVideo(staged, bytes / 2), await writeLargeVideo(own, bytes / 2)];
  const first = await addBoth(stage, staged, own);
  const before = network.toServer.bytes;
  network.toServer.throttle(bytesPerSecond);
  void cutAtRandom(network, { cuts, bytes: (1.5 * bytes) / cuts, random: seededRandom(seed) });
  await first.start();
  const last = await breakAll(stage, first, before);
  for (const name of ['staged.mp4', 'own.mp4'])
    await expect(last.row(name)).toContainText('Completed', { timeout: doneWithinMs });
  const asked = await last.questions.count();
  await context.close();
  const stored = await digestsOf(product);
  const broken = digests.filter((digest) => !stored.includes(digest)).length;
  const share = ((network.toServer.bytes - before) / bytes) * 100;
  return [
    { what: 'bytes that reached the server', value: share, unit: '%', goal: 103, floor: 108 },
    { what: 'files that are not as they were', value: broken, unit: '', goal: 0, floor: 0 },
    { what: 'questions to the person', value: asked, unit: '', goal: 0, floor: 0 },
  ];
}

async function addBoth({ context, product, network }: Stage, staged: string, own: string): Promise<Uploads> {
  await acceptAgreement(product, await registerAt(product, 'first'));
  await pickOwnFiles(context);
  const page = await context.newPage();
  await new SignIn(page).enterAs({ ...product, address: network.address }, 'first');
  await putOwnFile(page, own);
  const uploads = new Uploads(page);
  await uploads.open(network.address);
  await uploads.addStaged(staged);
  await uploads.addOwnFiles(1);
  return uploads;
}

/** @returns the last page */
async function breakAll({ context, product, network }: Stage, first: Uploads, before: number): Promise<Uploads> {
  let uploads = first;
  const reached = (share: number) => network.toServer.whenForwarded(before + share * bytes);
  for (let crash = 1; crash <= crashes; crash += 1) {
    await reached(crash / (crashes + 2));
    await uploads.crash();
    uploads = new Uploads(await context.newPage());
    await uploads.open(network.address);
  }
  await reached((crashes + 1) / (crashes + 2));
  await product.kill();
  await product.start();
  return uploads;
}
