import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import type { Library } from '#tests/support/library.ts';
import { addBrokenVideo, copyLibrary, fixtureNames, makeLibrary } from '#tests/support/library.ts';
import type { Product, ProductOptions } from '#tests/support/product.ts';
import { startProduct } from '#tests/support/product.ts';
import { openIdClient, openIdServer } from '#tests/support/providers/openid-server.ts';
import { acceptAgreement, registerAt } from './accounts.ts';
import { Feed } from './feed.ts';

/**
 * What a product finds when it starts: the demo clips, any files by their paths in the library, or fixtures by name
 * (`hue-030`), some with noise for pictures, and other files `beside` them, by name.
 */
export type Shelf =
  | 'demo'
  | { readonly files: Readonly<Record<string, string>> }
  | {
      readonly names: readonly string[];
      readonly broken?: readonly string[];
      readonly beside?: Readonly<Record<string, string>>;
      readonly container?: 'mp4' | 'webm';
    };

interface WorkerFixtures {
  /** The built product with the twelve `hue` videos, shared by journeys that leave it as it is. */
  product: Product;
  /**
   * One for accounts that journeys bring themselves, with a real OpenID provider beside it, who knows `olga`. The first
   * account is made, and has accepted the agreement.
   */
  club: Product;
}

interface Fixtures {
  /** What ends the products of this journey. */
  endings: (() => Promise<void>)[];
  /** Starts a product for this journey alone: with another library, or to be stopped. */
  openProduct: (shelf: Shelf, environment?: ProductOptions['environment']) => Promise<Product>;
  feed: Feed;
}

/** A journey through the built product. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  product: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const [product, dispose] = await open({ names: await fixtureNames('hue') });
      await use(product);
      await dispose();
    },
    { scope: 'worker', timeout: 180_000 },
  ],

  club: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const endings: (() => Promise<void>)[] = [];
      const [club, dispose] = await open({ names: await fixtureNames('hue') }, async (address) => {
        const provider = await openIdServer(`${address}/auth/oauth/oidc/callback`, (end) =>
          endings.push(async () => end()),
        );
        provider.people.set('olga', { email: 'olga@example.com', email_verified: true, name: 'Olga Berg' });
        return {
          PUBLIC_URL: address,
          OIDC_ISSUER: provider.issuer,
          OIDC_CLIENT_ID: openIdClient.clientId,
          OIDC_CLIENT_SECRET: openIdClient.clientSecret,
          OIDC_NAME: 'Guild',
        };
      });
      await acceptAgreement(club, await registerAt(club, 'first'));
      await use(club);
      await dispose();
      for (const end of endings) await end();
    },
    { scope: 'worker', timeout: 180_000 },
  ],

  baseURL: ({ product }, use) => use(product.address),

  // biome-ignore lint/correctness/noEmptyPattern: as above
  endings: async ({}, use) => {
    const endings: (() => Promise<void>)[] = [];
    await use(endings);
    for (const end of endings) await end();
  },

  /**
   * Made after `endings`, so that its pages close first: a product that stops lets videos run that a page still reads.
   */
  context: ({ endings: _endings, context }, use) => use(context),

  openProduct: async ({ endings }, use) => {
    await use(async (shelf, environment) => {
      const [product, dispose] = await open(shelf, environment);
      endings.push(dispose);
      return product;
    });
  },

  feed: async ({ page }, use) => {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await use(new Feed(page));
    if (errors.length > 0)
      throw new AggregateError(errors, `the page threw: ${errors.map((error) => error.message).join('; ')}`);
  },
});

async function open(
  shelf: Shelf,
  environment?: ProductOptions['environment'],
): Promise<[Product, () => Promise<void>]> {
  const library = shelf === 'demo' ? null : await fill(shelf);
  try {
    const product = await startProduct({
      ...(library && { libraryDirs: [library.folder] }),
      ...(environment && { environment }),
    });
    const dispose = async () => {
      await product.dispose();
      await library?.remove();
    };
    return [product, dispose];
  } catch (error) {
    await library?.remove();
    throw error;
  }
}

async function fill(shelf: Exclude<Shelf, 'demo'>): Promise<Library> {
  if ('files' in shelf) return copyLibrary(shelf.files);
  const { names, broken = [], beside = {}, container } = shelf;
  const library = await makeLibrary(names, container);
  await Promise.all(broken.map((name) => addBrokenVideo(library, name, `broken-${name}`)));
  await Promise.all(Object.entries(beside).map(([name, text]) => writeFile(join(library.folder, name), text)));
  return library;
}
