import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { blockedTagIds } from '#app/state/channels/blocklist.ts';
import { createChannelList } from '#app/state/channels/channel-list.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { Tag } from '#contract/entities/tag.ts';
import type { Video } from '#contract/entities/video.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { checkFilterSize, joinIds } from '#contract/rules/tag-filter.ts';

/** What a card and the player show of a video. */
export type VideoCard = Pick<Video, 'id' | 'filename' | 'url' | 'poster_url' | 'duration' | 'tags'>;

/** What a chip shows of a channel. */
export type Channel = Pick<Tag, 'id' | 'name' | 'color' | 'video_count'>;

interface BrowseState {
  /** The chosen channels, in the order of choosing. They stay while another view is open. */
  chosen: Channel[];
}

export const browse = proxy<BrowseState>({ chosen: [] });

export const channels = createChannelList();

/** The videos of the chosen channels, any of them sufficing; of no channel, none. */
export const videos = createPagedList<VideoCard, { tagIds: readonly string[] }>({
  limit: limits.videosPerPage,
  filters: { tagIds: [] },
  load: async ({ page, filters: { tagIds } }, signal) => {
    if (tagIds.length === 0) return { items: [], total: 0 };
    const query = { tag_ids: joinIds(tagIds), page, limit: limits.videosPerPage };
    const { videos: items, total } = await call(listVideosByTags, { query, signal });
    return { items, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadVideos,
});

/** Opens both lists with what was chosen before. Returns what closes them. */
export function openBrowsing(): () => void {
  const stops = [channels.open(), videos.open()];
  applyBlocklist();
  return () => {
    for (const stop of stops) stop();
  };
}

/** A choice beyond what one filter can hold is ignored. */
export function toggleChannel(channel: Channel): void {
  const others = browse.chosen.filter(({ id }) => id !== channel.id);
  const chosen = others.length < browse.chosen.length ? others : [...others, channel];
  if (checkFilterSize(chosen.map(({ id }) => id)) !== null) return;
  browse.chosen = chosen;
  applyChoice();
}

/** Blocked channels are no choice, and their videos leave the page. */
export function applyBlocklist(): void {
  const blocked = blockedTagIds();
  browse.chosen = browse.chosen.filter(({ id }) => !blocked.includes(id));
  applyChoice();
}

export function resetBrowsing(): void {
  browse.chosen = [];
}

function applyChoice(): void {
  videos.filter({ tagIds: browse.chosen.map(({ id }) => id) });
}
