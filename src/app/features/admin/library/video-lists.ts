import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listHiddenVideos, listUnplayableVideos, showVideo } from '#contract/endpoints.ts';
import type { HiddenVideo, UnplayableVideo } from '#contract/entities/library.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { library } from './library-store.ts';

const limit = limits.videosPerPage;

/** Files that are there and cannot be played. */
export const unplayableVideos = createPagedList<UnplayableVideo, object>({
  limit,
  filters: {},
  load: async ({ page, search }, signal) => {
    const { videos, total } = await call(listUnplayableVideos, { query: { page, limit, search }, signal });
    return { items: videos, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadVideos,
});

export const hiddenVideos = createPagedList<HiddenVideo, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const { videos, total } = await call(listHiddenVideos, { query: { page, limit }, signal });
    return { items: videos, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadVideos,
});

/** Why a video could not be shown again. */
export const hiddenRefusal = proxy<{ sentence: string | null }>({ sentence: null });

export async function showAgain(id: string): Promise<void> {
  hiddenRefusal.sentence = null;
  try {
    await hiddenVideos.change(
      (items) => items.filter((item) => item.id !== id),
      () => call(showVideo, { params: { id } }),
    );
    void library.reload();
  } catch (error) {
    hiddenRefusal.sentence = readRefusal(error);
  }
}
