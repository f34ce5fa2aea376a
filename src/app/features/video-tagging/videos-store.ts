import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { titleChanged } from '#app/state/view-requests.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listTaggingVideos, readVideoTags } from '#contract/endpoints.ts';
import type { VideoTag } from '#contract/entities/tag.ts';
import type { TaggingList } from '#contract/entities/tagging.ts';
import type { Video } from '#contract/entities/video.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { isUntagged } from '#contract/rules/tag.ts';

/** A video of the list with its tags. */
export interface TaggingVideo {
  video: Pick<Video, 'id' | 'path' | 'title' | 'size' | 'url' | 'poster_url' | 'storyboard' | 'duration'> &
    Pick<Video, 'available' | 'message'>;
  tags: VideoTag[];
}

type Counts = TaggingList['counts'];

interface LoadedState {
  /** Null before the first reply. */
  counts: Counts | null;
  /** Whether each video of the reply with these counts was untagged, by id. */
  wereUntagged: Record<string, boolean>;
}

const initial: LoadedState = { counts: null, wereUntagged: {} };

/** The counts of the latest reply, and the state of its videos. */
export const loaded = proxy<LoadedState>({ ...initial });

/** §2 Video Tagging: 12 per page. A video keeps its position while its tags change. */
export const taggingVideos = createPagedList<TaggingVideo, { isUntaggedOnly: boolean; isUntaggedFirst: boolean }>({
  limit: limits.taggingVideosPerPage,
  filters: { isUntaggedOnly: false, isUntaggedFirst: false },
  isSearchedOnEnter: true,
  keepsPage: true,
  load: async ({ page, search, filters: { isUntaggedOnly, isUntaggedFirst } }, signal) => {
    const query = {
      page,
      limit: limits.taggingVideosPerPage,
      ...(search !== '' && { search }),
      ...(isUntaggedOnly && { show_untagged_only: true }),
      ...(isUntaggedFirst && { untagged_first: true }),
    };
    const reply = await call(listTaggingVideos, { query, signal });
    const wereUntagged: LoadedState['wereUntagged'] = {};
    for (const { video, tags } of reply.videos) wereUntagged[video.id] = isUntagged(tags);
    Object.assign(loaded, { counts: reply.counts, wereUntagged });
    return { items: reply.videos, total: reply.total };
  },
  idOf: ({ video }) => video.id,
  toSentence: failures.loadVideos,
});

/** Opens the list. Returns a function that closes it. */
export function openVideos(): () => void {
  Object.assign(loaded, initial);
  const stops = [taggingVideos.open(), titleChanged.listen(retitle)];
  return () => {
    for (const stop of stops) stop();
  };
}

function retitle({ id, title }: Pick<Video, 'id' | 'title'>): void {
  taggingVideos.update((items) =>
    items.map((item) => (item.video.id === id ? { ...item, video: { ...item.video, title } } : item)),
  );
}

interface Shown {
  readonly video: { readonly id: string };
  readonly tags: Parameters<typeof isUntagged>[0];
}

/**
 * The counts of the last reply plus the changes made on the page since. The server reads counts and
 * videos a moment apart, so a change by another user may be in only one of them.
 */
export function countsNow(
  {
    counts,
    wereUntagged,
  }: { readonly counts: Readonly<Counts> | null; readonly wereUntagged: LoadedState['wereUntagged'] },
  items: readonly Shown[],
): Counts | null {
  if (counts === null) return null;
  const more = items.reduce((sum, { video, tags }) => {
    const wasUntagged = wereUntagged[video.id];
    return wasUntagged === undefined ? sum : sum + Number(isUntagged(tags)) - Number(wasUntagged);
  }, 0);
  const untagged = Math.min(counts.total, Math.max(0, counts.untagged + more));
  return { untagged, tagged: counts.total - untagged, total: counts.total };
}

/**
 * Reads the tags of a video from the server (§4 Tagging).
 * @throws as `call`
 */
export async function refreshTags({ id, path }: { id: string; path: string }): Promise<void> {
  applyTags(id, (await call(readVideoTags, { params: { path } })).tags);
}

/** Replaces a video's tags with those of the server. */
export function applyTags(id: string, tags: VideoTag[]): void {
  taggingVideos.update((items) => items.map((item) => (item.video.id === id ? { ...item, tags } : item)));
}

export function findVideo(id: string | null): TaggingVideo | undefined {
  return taggingVideos.state.items.find(({ video }) => video.id === id);
}
