import { callCached } from '#app/platform/http/call-cached.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listTags } from '#contract/endpoints.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { keepExisting } from '#contract/rules/tag-filter.ts';
import { applyFilter, quadrantFilters } from './quadrant-filters.ts';

interface Channels {
  tags: readonly Tag[];
  /** The number of all matching channels. */
  total: number;
  /**
   * The time of the server's answer in epoch milliseconds, for a list that was stored on this
   * device; else null.
   */
  cachedAt: number | null;
}

/**
 * The first 100 active channels by name. Without a network the stored list answers, and is searched
 * on this device.
 * @throws as `call`
 */
export async function readChannels(search = '', signal?: AbortSignal): Promise<Channels> {
  try {
    return await ask(search, signal);
  } catch (error) {
    if (search === '' || !(error instanceof NetworkError)) throw error;
    const { tags, cachedAt } = await ask('', signal);
    const found = tags.filter(({ name }) => isFound(name, search));
    return { tags: found, total: found.length, cachedAt };
  }
}

/** Whether a search finds this name. */
export function isFound(name: string, search: string): boolean {
  return name.toLowerCase().includes(search.toLowerCase());
}

async function ask(search: string, signal?: AbortSignal): Promise<Channels> {
  const query = { page: 1, limit: limits.tagListLimit, ...(search !== '' && { search }) };
  const { reply, cachedAt } = await callCached(listTags, query, signal);
  return { tags: reply.tags, total: reply.total, cachedAt };
}

/**
 * Drops tags that no longer exist from each filter (§5 Tag filter). A filter that loses none is not
 * changed.
 */
export function dropVanishedTags(existing: ReadonlySet<string>): void {
  for (const quadrant of quadrants) {
    const filter = quadrantFilters[quadrant];
    const tagIds = keepExisting(filter.tagIds, existing);
    if (tagIds.length < filter.tagIds.length) applyFilter(quadrant, { ...filter, tagIds });
  }
}

/**
 * Creates a list of channels to choose from: the first 100 by name; the server's search finds the
 * others. Without a network the stored list answers.
 * @param findMore channels that are listed before those of the server
 */
export function createChannelList(
  toSentence: (error: unknown) => string = failures.loadChannels,
  findMore: (search: string) => readonly Tag[] = () => [],
) {
  return createPagedList<Tag, object>({
    limit: limits.tagListLimit,
    filters: {},
    load: async ({ search }, signal) => {
      const { tags, total, cachedAt } = await readChannels(search, signal);
      const more = findMore(search).filter(({ id }) => !tags.some((tag) => tag.id === id));
      return { items: [...more, ...tags], total: total + more.length, cachedAt };
    },
    idOf: ({ id }) => id,
    toSentence,
  });
}
