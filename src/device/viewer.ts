import type { CacheStores } from './cached-call.ts';
import { facts } from './facts.ts';
import { filterCache } from './filter-cache.ts';
import { newRandomId } from './random-id.ts';

/**
 * The mark under which this viewer's answers are cached: a random one for each sign-in, and one for
 * anonymous viewers. A viewer other than the last one gets a new mark, and the cache is cleared.
 * @param userId identifies the user and their plan; null: anonymous
 */
export async function claimMark(userId: string | null, stores: CacheStores = { facts, filterCache }): Promise<string> {
  let isNew = false;
  const { mark } = await stores.facts.update('viewer', (known) => {
    isNew = known?.userId !== userId;
    return known && !isNew ? known : { mark: newRandomId(), userId };
  });
  if (isNew) await stores.filterCache.clear();
  return mark;
}
