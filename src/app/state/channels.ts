import { callCached } from '#app/platform/http/call-cached.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listTags } from '#contract/endpoints.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';

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
 * The active channels that some ids stand for by now: a merged one is the channel that
 * it went into. Null for a list stored on this device, which lacks channels created later.
 * @throws as `call`
 */
export async function readChannelsOf(ids: readonly string[], signal?: AbortSignal): Promise<Tag[] | null> {
  const channels: Tag[] = [];
  for (let at = 0; at < ids.length; at += limits.tagListLimit) {
    const query = { ids: joinIds(ids.slice(at, at + limits.tagListLimit)) };
    const { reply, cachedAt } = await callCached(listTags, query, signal);
    // A server of an earlier version answers with all channels.
    if (cachedAt !== null || reply.total > ids.length) return null;
    channels.push(...reply.tags);
  }
  return channels;
}

/**
 * Creates a list of channels to choose from: the first 100 by name; the server's search finds the
 * others. Without a network the stored list answers.
 * @param findMore channels that are listed before those of the server
 * @param idsFirst channels that are listed first, also those beyond the first 100
 */
export function createChannelList(
  toSentence: (error: unknown) => string = failures.loadChannels,
  findMore: (search: string) => readonly Tag[] = () => [],
  idsFirst: () => readonly string[] = () => [],
) {
  return createPagedList<Tag, object>({
    limit: limits.tagListLimit,
    filters: {},
    load: async ({ search }, signal) => {
      const { tags, total, cachedAt } = await readChannels(search, signal);
      const isListed = (id: string) => tags.some((tag) => tag.id === id);
      const more = findMore(search).filter(({ id }) => !isListed(id));
      const ids = idsFirst();
      const isBeyond = search === '' && cachedAt === null && total > tags.length;
      const unlisted = isBeyond ? ids.filter((id) => !isListed(id)) : [];
      const beyond = (await readChannelsOf(unlisted, signal)) ?? [];
      const isFirst = ({ id }: Tag) => ids.includes(id);
      const first = [...tags.filter(isFirst), ...beyond.filter(({ id }) => !isListed(id))];
      const items = [...more, ...first, ...tags.filter((tag) => !isFirst(tag))];
      return { items, total: total + more.length, cachedAt };
    },
    idOf: ({ id }) => id,
    toSentence,
  });
}
