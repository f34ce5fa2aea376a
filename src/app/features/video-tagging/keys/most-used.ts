import { proxy } from 'valtio/vanilla';
import { callCached } from '#app/platform/http/call-cached.ts';
import { listTags } from '#contract/endpoints.ts';
import type { TagLabel } from '#contract/entities/tag.ts';

/** As many as there are digits. */
const count = 9;

/** The tags of the digits 1 to 9, the most used first; they keep their digits while the screen is open. */
export const mostUsed = proxy<{ tags: TagLabel[] }>({ tags: [] });

/** Returns what cancels the loading and forgets them. */
export function loadMostUsed(): () => void {
  const loading = new AbortController();
  void load(loading.signal);
  return () => {
    loading.abort();
    mostUsed.tags = [];
  };
}

async function load(signal: AbortSignal): Promise<void> {
  try {
    const query = { sort_by: 'video_count', sort_order: 'desc', page: 1, limit: count } as const;
    const { reply } = await callCached(listTags, query, signal);
    if (!signal.aborted) mostUsed.tags = reply.tags.slice(0, count).map(({ id, name, color }) => ({ id, name, color }));
  } catch {
    // Without them the digits do nothing, and the panel still has all tags.
  }
}
