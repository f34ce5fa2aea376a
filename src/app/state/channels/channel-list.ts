import { callCached } from '#app/platform/http/call-cached.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listTags } from '#contract/endpoints.ts';
import type { Tag } from '#contract/entities/tag.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';

/**
 * Channels to choose from: the first 100 by name; what is beyond them is found by the search, on the server.
 * Without a network the stored list answers.
 */
export function createChannelList() {
  return createPagedList<Tag, object>({
    limit: limits.tagListLimit,
    filters: {},
    load: async ({ page, search }, signal) => {
      const query = { page, limit: limits.tagListLimit, ...(search !== '' && { search }) };
      const { reply } = await callCached(listTags, query, signal);
      return { items: reply.tags, total: reply.total };
    },
    idOf: ({ id }) => id,
    toSentence: failures.loadChannels,
  });
}
