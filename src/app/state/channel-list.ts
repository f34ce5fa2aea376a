import { createPagedList } from '#app/ui/list/paged-list.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { readChannels } from './channels.ts';

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
