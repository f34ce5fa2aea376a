import assert from 'node:assert/strict';
import { deliveries, readFaults, uploadVideos, watchViolations } from '#tests/e2e/delivered.ts';
import { fixtureNames } from '#tests/support/library.ts';
import { startProduct } from '#tests/support/product.ts';
import { startSwift } from '#tests/support/storage/swift-store.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { play, seek, skip } from './feed-steps.ts';
import { sourcesOf } from './in-page.ts';
import { Screen } from './screen.ts';

/** A product whose videos come from elsewhere. */
export interface DeliveredSite {
  readonly address: string;
  readonly origin: string;
}

/**
 * Starts a product for each way of delivery, all of them on one Swift.
 * @returns them by what delivers; null where the packages of Swift cannot be had
 */
export async function openDeliveredSites(
  container: 'mp4' | 'webm',
  atEnd: AtEnd,
): Promise<ReadonlyMap<string, DeliveredSite> | null> {
  const swift = await startSwift(atEnd);
  if (swift === null) return null;
  const videos = await fixtureNames('hue');
  const sites = new Map<string, DeliveredSite>();
  for (const [name, deliver] of Object.entries(deliveries)) {
    let origin = '';
    const product = await startProduct({
      libraryDirs: [temporaryFolder(atEnd)],
      environment: async (site) => {
        const delivery = await deliver({ swift, site, atEnd });
        origin = delivery.origin;
        return delivery.env;
      },
    });
    atEnd(product.dispose);
    await uploadVideos(product, videos, container);
    sites.set(name, { address: product.address, origin });
  }
  return sites;
}

/** Plays, seeks and skips on a site whose videos come from elsewhere. */
export async function playDelivered({ page }: Screen, { address, origin }: DeliveredSite): Promise<void> {
  const screen = new Screen(page, address);
  await screen.open();
  await page.evaluate(watchViolations, null);
  await play(screen);
  const elsewhere = (await page.evaluate(sourcesOf, null)).filter((source) => !source.startsWith(`${origin}/`));
  assert.deepEqual(elsewhere, [], `sources that are not of ${origin}`);
  await seek(screen);
  await skip(screen);
  await screen.untilAllAdvance();
  assert.deepEqual(await page.evaluate(readFaults, null), []);
}
