import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import type { Outcome } from '#app/ui/card.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import {
  assignTags,
  deleteUploadedFile,
  hideVideo,
  keepDuplicates,
  listDuplicates,
  relistDuplicates,
  restoreUpload,
  searchDuplicates,
  showVideo,
} from '#contract/endpoints.ts';
import type { DuplicateGroup, DuplicateList, DuplicateVideo } from '#contract/entities/duplicate.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { after } from '#device/timers.ts';

interface DuplicateState {
  /** Null before the first reply. */
  search: DuplicateList['search'] | null;
  isStarting: boolean;
  /** Why no search could be started. */
  notice: Outcome | null;
  /** The changes to videos of this page, by id; the videos stay in sight, with the way back. */
  fates: Partial<Record<string, 'hidden' | 'removed'>>;
  /** Ids of videos whose channels another one of their group has now. */
  added: string[];
  /** Ids of groups that are not listed any more. */
  kept: string[];
  /** The outcome of the last change, by group. */
  notices: Partial<Record<string, Outcome>>;
}

const atRest = (): DuplicateState => ({
  search: null,
  isStarting: false,
  notice: null,
  fates: {},
  added: [],
  kept: [],
  notices: {},
});

export const duplicateState = proxy<DuplicateState>(atRest());

/** How often the progress of a search is requested. */
const progressMs = 2_000;
let cancelRefresh = () => {};
/** The page that was loaded last. */
let loadedPage = 1;

/** Groups of duplicates. Those in which something was done stay as they were, with the way back. */
export const duplicates = createPagedList<DuplicateGroup, object>({
  limit: limits.duplicatesPerPage,
  filters: {},
  load: async ({ page }, signal) => {
    cancelRefresh();
    const query = { page, limit: limits.duplicatesPerPage };
    const { groups, total, search } = await call(listDuplicates, { query, signal });
    duplicateState.search = search;
    if (search.is_running && !signal.aborted) cancelRefresh = after(progressMs, () => void duplicates.reload());
    const items = page === loadedPage ? withChanged(groups) : groups;
    loadedPage = page;
    return { items, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadDuplicates,
});

/** Leaves the groups of the page in which something was done in their places. */
function withChanged(loaded: readonly DuplicateGroup[]): readonly DuplicateGroup[] {
  const { fates, kept } = duplicateState;
  const shown = duplicates.state.items;
  const changed = shown.filter(({ id, videos }) => kept.includes(id) || videos.some((video) => fates[video.id]));
  const known = changed.flatMap(({ videos }) => videos.map(({ id }) => id));
  const items = loaded.filter(({ videos }) => !videos.some(({ id }) => known.includes(id)));
  for (const group of changed) items.splice(shown.indexOf(group), 0, group);
  return items;
}

/** Opens the list. Returns a function that closes it. */
export function openDuplicates(): () => void {
  Object.assign(duplicateState, atRest());
  const close = duplicates.open();
  return () => {
    cancelRefresh();
    close();
  };
}

export async function searchNow(): Promise<void> {
  if (duplicateState.isStarting) return;
  Object.assign(duplicateState, { isStarting: true, notice: null });
  try {
    await call(searchDuplicates);
    await duplicates.reload();
  } catch (error) {
    duplicateState.notice = { kind: 'danger', sentence: readRefusal(error) };
  } finally {
    duplicateState.isStarting = false;
  }
}

/** The video that gets the channels of a hidden or removed one; null if it lacks none of them. */
export function findHeir(
  { videos }: DuplicateGroup,
  { id, tags }: DuplicateVideo,
  fates: Readonly<DuplicateState['fates']>,
): DuplicateVideo | null {
  const heir = videos.find((video) => video.id !== id && fates[video.id] === undefined);
  const has = (tag: { id: string }) => heir?.tags.some(({ id: known }) => known === tag.id);
  return heir !== undefined && !tags.every(has) ? heir : null;
}

export function hide(groupId: string, { id }: DuplicateVideo): Promise<void> {
  return change(groupId, 'Hidden. Its channels and favourites stay with it.', async () => {
    await call(hideVideo, { params: { id } });
    duplicateState.fates[id] = 'hidden';
  });
}

export function showAgain(groupId: string, { id }: DuplicateVideo): Promise<void> {
  return change(groupId, 'Shown again.', async () => {
    await call(showVideo, { params: { id } });
    delete duplicateState.fates[id];
  });
}

/** Removes an upload for everybody. Its bytes are kept for a while. */
export function remove(groupId: string, { id, upload }: DuplicateVideo): Promise<void> {
  const sentence = `Removed. It can be brought back for ${limits.uploadKeptDays} days, with its channels and favourites.`;
  return change(groupId, sentence, async () => {
    await call(deleteUploadedFile, { params: { id: upload?.entry ?? '' } });
    duplicateState.fates[id] = 'removed';
  });
}

export function bringBack(groupId: string, { id, upload }: DuplicateVideo): Promise<void> {
  return change(groupId, 'Brought back.', async () => {
    await call(restoreUpload, { params: { id: upload?.stored ?? '' } });
    delete duplicateState.fates[id];
  });
}

/** Adds the channels of a video to another one of its group. */
export function addChannels(groupId: string, { id, tags }: DuplicateVideo, { path }: DuplicateVideo): Promise<void> {
  const body = { tag_ids: tags.map((tag) => tag.id) };
  return change(groupId, `Its channels are on ${path} too.`, async () => {
    await call(assignTags, { params: { path }, body });
    duplicateState.added.push(id);
  });
}

/** Takes a group off the list, because its videos are to stay beside each other. */
export function keepAll(groupId: string): Promise<void> {
  return change(groupId, 'Kept. They are not listed here any more.', async () => {
    await call(keepDuplicates, { params: { id: groupId } });
    duplicateState.kept.push(groupId);
  });
}

export function listAgain(groupId: string): Promise<void> {
  return change(groupId, 'Listed again.', async () => {
    await call(relistDuplicates, { params: { id: groupId } });
    duplicateState.kept = duplicateState.kept.filter((id) => id !== groupId);
  });
}

async function change(groupId: string, sentence: string, send: () => Promise<void>): Promise<void> {
  delete duplicateState.notices[groupId];
  try {
    await send();
    duplicateState.notices[groupId] = { kind: 'ok', sentence };
  } catch (error) {
    duplicateState.notices[groupId] = { kind: 'danger', sentence: readRefusal(error) };
  }
}
