import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { cutAtRandom } from '#tests/support/network/random-cuts.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';
import { acceptAgreement, registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';
import { countWritten, digestsOf, metricsToken, pickOwnFiles, putOwnFile, Uploads } from './uploads.ts';

const mib = 1024 ** 2;
const size = 20 * mib;
/** Each connection carries so much. */
const bytesPerSecond = 8 * mib;

test('files outlive cuts, a tab that crashes and a server that is killed: hardly a byte goes twice, and nobody is asked', async ({
  playwright,
  launchOptions,
  openProduct,
  endings,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-uploads-'));
  const context = await playwright.chromium.launchPersistentContext(join(folder, 'profile'), launchOptions);
  endings.push(() => context.close());
  const product = await openProduct({ names: ['hue-000'] }, { METRICS_TOKEN: metricsToken });
  const network = await FaultyNetwork.start(product.address);
  endings.push(
    () => network.close(),
    () => rm(folder, { recursive: true }),
  );
  const [staged, own] = [join(folder, 'staged.mp4'), join(folder, 'own.mp4')];
  const digests = [await writeLargeVideo(staged, size), await writeLargeVideo(own, size)];
  await acceptAgreement(product, await registerAt(product, 'first'));
  await pickOwnFiles(context);
  const page = await context.newPage();
  await new SignIn(page).enterAs({ ...product, address: network.address }, 'first');
  await putOwnFile(page, own);
  const first = new Uploads(page);
  await first.open(network.address);
  await first.addStaged(staged);
  await first.addOwnFiles(1);

  const before = network.toServer.bytes;
  const reached = (bytes: number) => network.toServer.whenForwarded(before + bytes);
  network.toServer.throttle(bytesPerSecond);
  void cutAtRandom(network, { cuts: 5, bytes: 6 * mib, random: seededRandom(17) });
  await first.start();
  await reached(6 * mib);
  await first.crash();
  const later = new Uploads(await context.newPage());
  await later.open(network.address);
  await reached(14 * mib);
  const writtenBefore = await countWritten(product);
  await product.kill();
  await product.start();

  for (const name of ['staged.mp4', 'own.mp4']) await expect(later.row(name)).toContainText('Completed');
  await expect(later.questions).toHaveCount(0);
  expect(await digestsOf(product)).toEqual(digests.sort());
  expect((writtenBefore + (await countWritten(product))) / (2 * size)).toBeLessThan(1.02);
});
