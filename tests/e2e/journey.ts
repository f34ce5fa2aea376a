import type { BrowserContext, Page } from '@playwright/test';
import { test as base } from '@playwright/test';
import type { TagList } from '#contract/entities/tag.ts';
import type { Product, ProductOptions, Site } from '#tests/support/product.ts';
import { send, signInAt } from './accounts.ts';
import { Feed } from './feed.ts';
import type { SharedName, Shelf } from './products.ts';
import { askForShared, openProduct } from './products.ts';

/** Products that journeys share and leave as they are, but for what belongs to accounts of their own. */
type SharedProducts = Record<SharedName, Site>;

/** What a journey has at hand, beside the products that journeys share. */
export interface Journey {
  page: Page;
  context: BrowserContext;
  /** What ends the products of this journey. */
  endings: (() => Promise<void>)[];
  /** Starts a product for this journey alone: with another library, or to be stopped. */
  openProduct: (shelf: Shelf, environment?: ProductOptions['environment']) => Promise<Product>;
  feed: Feed;
  /** One of the products that journeys share, for journeys that are told which. */
  askFor: (name: SharedName) => Promise<Site>;
}

type Fixtures = SharedProducts & Omit<Journey, 'page' | 'context'>;

/** A journey through the built product. */
export const test = base.extend<Fixtures>({
  product: share('product'),
  club: share('club'),
  demo: share('demo'),
  scarce: share('scarce'),
  brief: share('brief'),
  flawed: share('flawed'),
  spoken: share('spoken'),
  unplayable: share('unplayable'),
  gate: share('gate'),
  inbox: share('inbox'),

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
  desk: async ({}, use, { parallelIndex }) => use(await openDesk(parallelIndex)),

  // biome-ignore lint/correctness/noEmptyPattern: as above
  askFor: async ({}, use, { parallelIndex, repeatEachIndex }) =>
    use((name) => (name === 'desk' ? openDesk(parallelIndex) : askForShared(name, repeatEachIndex))),

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
      const { product, dispose } = await openProduct(shelf, environment);
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

/** Each repetition of a journey has its own, because it makes the same accounts. */
function share(name: SharedName) {
  // biome-ignore lint/correctness/noEmptyPattern: as above
  return async ({}, use: (site: Site) => Promise<void>, { repeatEachIndex }: { repeatEachIndex: number }) =>
    use(await askForShared(name, repeatEachIndex));
}

async function openDesk(parallelIndex: number): Promise<Site> {
  const site = await askForShared('desk', parallelIndex);
  await deleteTags(site);
  return site;
}

/** What the journey before has left. */
async function deleteTags(site: Site): Promise<void> {
  const { access_token: token } = await signInAt(site, 'first');
  const { tags } = await send<TagList>(site, 'GET', '/api/tags', token);
  for (const { id } of tags) await send(site, 'DELETE', `/api/tags/${id}`, token);
}
