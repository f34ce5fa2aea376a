import type { TagReply } from '#contract/entities/tag.ts';
import type { Site } from '#tests/support/product.ts';
import { send, signInAt } from './accounts.ts';

/** Makes these tags by the first account. */
export async function makeTags(product: Site, ...names: string[]): Promise<void> {
  const { access_token } = await signInAt(product, 'first');
  for (const name of names) await send<TagReply>(product, 'POST', '/api/tags', access_token, { name });
}
