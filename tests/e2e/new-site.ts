import { fileURLToPath } from 'node:url';
import { copyLibrary } from '#tests/support/library.ts';
import type { Product, ProductOptions } from '#tests/support/product.ts';
import type { Shelf } from './products.ts';

type OpenProduct = (shelf: Shelf, environment?: ProductOptions['environment']) => Promise<Product>;

/** The videos that whoever sets up the new site has, one for each quadrant. */
export const ownNames = ['hue-000', 'hue-090', 'hue-180', 'hue-270'];

/**
 * Starts a product as after `npm start`: without accounts and folders. The videos lie in the folder `films`, in a place
 * that the operator lets administrators look into.
 */
export async function openEmptyProduct(
  openProduct: OpenProduct,
  endings: (() => Promise<void>)[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Product> {
  const fixtures = fileURLToPath(new URL('../fixtures/videos/', import.meta.url));
  const files = ownNames.map((name) => [`films/${name}.mp4`, `${fixtures}${name}.mp4`]);
  const library = await copyLibrary(Object.fromEntries(files));
  const product = await openProduct('demo', { ...environment, BROWSE_ROOTS: library.folder });
  endings.push(library.remove);
  return product;
}
