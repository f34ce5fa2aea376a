import type { TagReply } from '#contract/entities/tag.ts';
import type { Product } from '#tests/support/product.ts';
import { registerAt, send } from './accounts.ts';

/** Makes the first account, and these tags by it. */
export async function makeTags(product: Product, ...names: string[]): Promise<void> {
  const { access_token } = await registerAt(product, 'first');
  for (const name of names) await send<TagReply>(product, 'POST', '/api/tags', access_token, { name });
}
