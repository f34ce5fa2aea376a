import { proxy } from 'valtio/vanilla';
import { callCached } from '#app/platform/http/call-cached.ts';
import type { AnsweredVideo } from '#app/playback/quality/playable-video.ts';
import { createChannelList, readChannelsOf } from '#app/state/channels.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { blockedTagIds, isBlocked, onUserChange, session } from '#app/state/session.ts';
import { excludedBy, setLabels } from '#app/state/video-sets.ts';
import { titleChanged } from '#app/state/view-requests.ts';
import type { ListPage } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { Tag, TagLabel } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { Video } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { VideoSet, VideoSort } from '#contract/rules/tag-filter.ts';
import { checkFilterSize, isSetId, joinIds } from '#contract/rules/tag-filter.ts';

/** The fields of a video that cards and the player show. */
export type VideoCard = AnsweredVideo & Pick<Video, 'available' | 'message'>;

/** The fields of a channel that a chip shows. A set of videos has no count. */
export type Channel = TagLabel & Partial<Pick<Tag, 'video_count'>>;

interface BrowseState {
  /**
   * The chosen channels and sets in the order of choosing. They are kept while another view is
   * open.
   */
  chosen: Channel[];
  /** Whether all videos are listed while no channel is chosen. */
  isNewest: boolean;
  sortBy: VideoSort;
  /** On TVs: whether the search fields are open. */
  isSearchOpen: boolean;
  /** Whether what was watched is listed, in place of the channels and their videos. */
  isWatchedOpen: boolean;
}

const initial = {
  chosen: [],
  isNewest: false,
  sortBy: 'newest',
  isSearchOpen: false,
  isWatchedOpen: false,
} as const;

export const browse = proxy<BrowseState>({ ...initial, chosen: [] });

/** The id of the user who made the choice; null if nobody was signed in. */
let chosenBy: string | null = null;

export const channels = createChannelList();

/** The videos with any of the chosen channels. A search covers the videos of all channels. */
export const videos = createPagedList<VideoCard, { tagIds: readonly string[] }>({
  limit: limits.videosPerPage,
  filters: { tagIds: [] },
  load: async ({ page, search, filters: { tagIds } }, signal) => {
    if (!isAsked(tagIds, browse.isNewest, search)) return new Promise(() => {});
    const query = {
      ...(tagIds.length > 0 && { tag_ids: joinIds(tagIds) }),
      ...(search !== '' && { search }),
      ...(browse.sortBy !== 'newest' && { sort_by: browse.sortBy }),
      page,
      limit: limits.videosPerPage,
    };
    const { reply, cachedAt } = await callCached(listVideosByTags, query, signal);
    return cachedAt === null ? { items: reply.videos, total: reply.total } : { ...withoutBlocked(reply), cachedAt };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadVideos,
});

/** Opens both lists with the previous choice. Returns a function that closes them. */
export function openBrowsing(): () => void {
  const stops = [
    channels.open(),
    videos.open(),
    changedOnServer.profile.listen(() => void reload()),
    // The counter changes with the channels, and when a video is hidden or shown again.
    changedOnServer.tags.listen(() => void reload()),
    onUserChange(applyBlocklist),
    titleChanged.listen(({ id, title }) =>
      videos.update((items) => items.map((video) => (video.id === id ? { ...video, title } : video))),
    ),
  ];
  applyBlocklist();
  return () => {
    for (const stop of stops) stop();
  };
}

/** Another plan shows other channels, and what is only in them. */
async function reload(): Promise<void> {
  if (isAsked(browse.chosen, browse.isNewest, videos.state.appliedSearch)) void videos.reload();
  await channels.reload();
  const { items, total, appliedSearch } = channels.state;
  // A chosen channel could not be unchosen without any chip.
  if (total === 0 && appliedSearch === '') return choose([]);
  const before = browse.chosen;
  const isKnown = ({ id }: Channel) => isSetId(id) || items.some((one) => one.id === id);
  const unlisted = before.filter((one) => !isKnown(one)).map(({ id }) => id);
  // They stay chosen if no answer comes.
  const existing = unlisted.length === 0 ? [] : await readChannelsOf(unlisted).catch(() => null);
  if (existing && browse.chosen === before) renewChosen([...items, ...existing], existing);
}

/**
 * Gives chosen channels the names that they have now. One that is gone is chosen no longer, and a
 * merged one is the channel that it went into.
 */
function renewChosen(known: readonly Channel[], instead: readonly Channel[]): void {
  const renewed = browse.chosen.flatMap((one) =>
    isSetId(one.id) ? one : (known.find(({ id }) => id === one.id) ?? []),
  );
  const chosen = [...renewed, ...instead.filter(({ id }) => !renewed.some((one) => one.id === id))];
  const idsOf = (channels: readonly Channel[]) => joinIds(channels.map(({ id }) => id));
  if (idsOf(chosen) === idsOf(browse.chosen)) browse.chosen = chosen;
  else choose(chosen);
}

/** Whether a choice or search asks for videos. Otherwise the view explains how to start. */
export function isAsked(chosen: readonly unknown[], isNewest: boolean, search: string): boolean {
  return chosen.length > 0 || isNewest || search.trim() !== '';
}

/** Lists the newest videos of all channels. */
function showNewest(): void {
  browse.isNewest = true;
  applyChoice();
}

/** The suggested action of an empty view. */
export const newestAction = { label: 'Show the newest', onPress: showNewest };

export function openWatched(isOpen: boolean): void {
  browse.isWatchedOpen = isOpen;
}

export function openSearch(): void {
  browse.isSearchOpen = true;
}

/**
 * Chooses or unchooses a channel or a set, which replaces those that no video shares with it. A
 * choice beyond the limit of one filter is ignored.
 */
export function toggleChannel(channel: Channel): void {
  const isChosen = browse.chosen.some(({ id }) => id === channel.id);
  const others = browse.chosen.filter(({ id }) => !excludedBy(channel.id).includes(id));
  choose(isChosen ? others : [...others, channel]);
}

/** Chooses one of the sets of a group, or none of them. */
export function chooseSet(group: readonly VideoSet[], set: VideoSet | null): void {
  const others = browse.chosen.filter(({ id }) => !group.some((other) => other === id));
  // The list stays, and shows all videos.
  if (set === null && others.length === 0) browse.isNewest = true;
  choose(set === null ? others : [...others, setLabels[set]]);
}

function choose(chosen: Channel[]): void {
  if (checkFilterSize(chosen.map(({ id }) => id)) !== null) return;
  Object.assign(browse, { chosen, isNewest: browse.isNewest && chosen.length === 0 });
  chosenBy = session.user?.id ?? null;
  applyChoice();
}

/**
 * Removes blocked channels from the choice, and their videos from the page. Nothing is left of the
 * choice of somebody who has signed out: it tells what they watch, and others may have no chip for
 * it, such as that of the favourites.
 */
export function applyBlocklist(): void {
  const blocked = blockedTagIds();
  if (chosenBy !== null && chosenBy !== session.user?.id) browse.chosen = [];
  browse.chosen = browse.chosen.filter(({ id }) => !blocked.includes(id));
  applyChoice();
}

export function sortVideos(sortBy: VideoSort): void {
  browse.sortBy = sortBy;
  videos.filter({});
}

export function resetBrowsing(): void {
  Object.assign(browse, initial, { chosen: [] });
}

/** Applies the choice. Videos of the previous choice are not shown under the new one. */
function applyChoice(): void {
  if (!isAsked(browse.chosen, browse.isNewest, videos.state.search)) videos.open();
  else videos.filter({ tagIds: browse.chosen.map(({ id }) => id) });
}

/** Drops blocked videos, because a cached list may be older than the blocklist. */
function withoutBlocked({ videos, total }: VideoList): ListPage<VideoCard> {
  const items = videos.filter(({ tags }) => !isBlocked({ tagIds: tags.map(({ id }) => id) }));
  return { items, total: items.length === 0 ? 0 : total - videos.length + items.length };
}
