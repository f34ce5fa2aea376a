import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { FaultyNetwork } from '#tests/support/network/faulty-network.ts';
import { acceptAgreement, registerAt } from './accounts.ts';
import { test } from './journey.ts';
import { SignIn } from './sign-in.ts';
import { countWritten, digestsOf, metricsToken, Uploads } from './uploads.ts';

const mib = 1024 ** 2;
/** At a MiB a second it lasts for as long as a second page may take to open. */
const size = 24 * mib;

test('one of two tabs sends; its file goes on with its own bytes alone, and not for another person', async ({
  page,
  context,
  openProduct,
  endings,
}) => {
  const product = await openProduct({ names: ['hue-000'] }, { METRICS_TOKEN: metricsToken });
  const network = await FaultyNetwork.start(product.address);
  const site = { ...product, address: network.address };
  const folder = await mkdtemp(join(tmpdir(), 'fourfold-uploads-'));
  endings.push(
    () => network.close(),
    () => rm(folder, { recursive: true }),
  );
  const [film, other] = [join(folder, 'film.mp4'), join(folder, 'other', 'film.mp4')];
  const digest = await writeLargeVideo(film, size);
  await writeLargeVideo(other, size);
  for (const name of ['first', 'second']) await acceptAgreement(product, await registerAt(product, name));
  // Without room for a copy the person is asked for the file.
  await context.addInitScript(() => {
    navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
  });
  const before = network.toServer.bytes;

  const entrance = new SignIn(page);
  await entrance.enterAs(site, 'first');
  const first = new Uploads(await context.newPage());
  await first.open(network.address);
  await first.page.getByLabel('Videos', { exact: true }).setInputFiles(film);
  network.toServer.throttle(mib);
  await first.start();
  await network.toServer.whenForwarded(before + mib);
  const second = new Uploads(await context.newPage());
  await second.open(network.address);
  await expect(second.row('film.mp4').getByRole('progressbar')).toBeVisible();
  expect(await second.page.evaluate(countSenders)).toBe(1);
  await first.page.close();
  await expect(second.row('film.mp4')).toContainText('Choose the file again to go on');
  expect(await second.page.evaluate(countSenders)).toBe(1);

  await second.pickAgain('film.mp4', other);
  await expect(second.page.getByRole('alertdialog')).toContainText('This is not the file that was chosen before.');
  await second.page.getByRole('button', { name: 'OK' }).click();
  await second.pickAgain('film.mp4', film);
  await expect(second.row('film.mp4')).toContainText('Resuming from');

  await page.evaluate(() => localStorage.clear());
  await expect(second.row('film.mp4')).toHaveCount(0);
  expect(await second.readKeys()).toEqual([null]);
  await second.page.close();
  await entrance.enterAs(site, 'second');
  const stranger = new Uploads(page);
  await stranger.open(network.address);
  await expect(page.getByRole('heading', { name: 'No files selected' })).toBeVisible();
  await expect(stranger.row('film.mp4')).toHaveCount(0);

  await entrance.enterAs(site, 'first');
  const last = new Uploads(page);
  await last.open(network.address);
  network.toServer.pass();
  await last.pickAgain('film.mp4', film);
  await expect(last.row('film.mp4')).toContainText('Completed');
  expect(await digestsOf(product)).toEqual([digest]);
  expect(await last.readKeys()).toEqual([null]);
  expect((await countWritten(product)) / size).toBeLessThan(1.02);
});

/** In the page. */
async function countSenders(): Promise<number> {
  const { held = [] } = await navigator.locks.query();
  return held.filter(({ name }) => name === 'fourfold.uploads').length;
}
