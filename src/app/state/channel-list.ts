import { createPagedList } from '#app/ui/list/paged-list.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { readChannels } from './channels.ts';

/**
 * Creates a list of channels to choose from: the first 100 by name; the server's search finds the
 * others. Without a network the stored list answers.
 */
export function createChannelList(toSentence: (error: unknown) => string = failures.loadChannels) {
  return createPagedList<Tag, object>({
    limit: limits.tagListLimit,
    filters: {},
    load: async ({ search }, signal) => {
      const { tags, total, cachedAt } = await readChannels(search, signal);
      return { items: tags, total, cachedAt };
    },
    idOf: ({ id }) => id,
    toSentence,
  });
}
