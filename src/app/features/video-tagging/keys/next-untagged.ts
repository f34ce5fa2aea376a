import * as notices from '#contract/notices.ts';
import { isUntagged } from '#contract/rules/tag-lists.ts';
import { showNotice } from '../edits/change-tags.ts';
import { focusCard, focusedVideoId } from '../grid/card-focus.ts';
import { choose, tagging } from '../tagging-store.ts';
import { countsNow, loaded, videos } from '../videos-store.ts';

/** The first untagged video of the page that is being loaded gets the focus. */
let isAwaited = false;

/** Leads to the next untagged video: on this page, else to the first of all, which then come first. */
export function goToNextUntagged(): void {
  const { items } = videos.state;
  const at = items.findIndex(({ video }) => video.id === (focusedVideoId() ?? tagging.chosenId));
  const inOrder = [...items.slice(at + 1), ...items.slice(0, Math.max(0, at))];
  const next = inOrder.find(({ tags }) => isUntagged(tags));
  if (next) goTo(next.video.id);
  else if (countsNow(loaded, items)?.untagged) askForUntagged();
  else showNotice(notices.allVideosTagged);
}

function askForUntagged(): void {
  isAwaited = true;
  videos.filter({ isUntaggedFirst: true });
}

/** Called when a page has come. A search that finds tagged videos alone is given up: the others are among the rest. */
export function goToAwaitedUntagged(): void {
  const { items, isLoading, search } = videos.state;
  if (!isAwaited || isLoading) return;
  const first = items.find(({ tags }) => isUntagged(tags));
  isAwaited = false;
  if (first) goTo(first.video.id);
  else if (search !== '') {
    videos.clearSearch();
    isAwaited = videos.state.isLoading;
  }
}

export function cancelAwaitedUntagged(): void {
  isAwaited = false;
}

function goTo(id: string): void {
  videos.clearSelection();
  choose(id);
  focusCard(id);
}
