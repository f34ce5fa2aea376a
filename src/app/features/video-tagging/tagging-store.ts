import { proxy } from 'valtio/vanilla';
import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import { now } from '#app/platform/timers.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { createChannelList } from '#app/state/channel-list.ts';
import { onOutboxSent } from '#app/state/outbox/outbox-state.ts';
import { readVideo } from '#contract/endpoints.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { addTags, changes, resetChanges, showReadFailure } from './change-tags.ts';
import type { TaggingVideo } from './videos-store.ts';
import { findVideo, openVideos, refreshTags, videos } from './videos-store.ts';

interface TaggingState {
  /** The video in the panel, while no others are selected. */
  chosenId: string | null;
  /** On narrow screens: the panel is open as a sheet. */
  isPanelOpen: boolean;
  /** A press selects instead of choosing. */
  isSelecting: boolean;
  /** The tags that are ticked to be assigned. */
  ticked: TagLabel[];
  /** Help with the keys is open. */
  isHelpOpen: boolean;
}

const initial: TaggingState = { chosenId: null, isPanelOpen: false, isSelecting: false, ticked: [], isHelpOpen: false };

export const tagging = proxy<TaggingState>({ ...initial });

/** The active tags to add. */
export const tagChoices = createChannelList(failures.loadTags);

/** Opens the screen's lists. Returns what closes them. */
export function openTagging(): () => void {
  const stops = [openVideos(), tagChoices.open(), onOutboxSent(() => videos.forgetLater()), resetTagging];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A plain press on a card. */
export function pressVideo(id: string): void {
  if (tagging.isSelecting) {
    toggleSelected(id);
    return;
  }
  videos.clearSelection();
  choose(id);
  tagging.isPanelOpen = true;
}

/** Shows a video in the panel, and reads its tags again (§4 Tagging). */
export function choose(id: string): void {
  if (id !== tagging.chosenId) tagging.ticked = [];
  tagging.chosenId = id;
  const item = findVideo(id);
  if (item) refreshTags(item.video).catch(showUnlessOffline);
}

/** Selects all from the chosen video to this one. */
export function selectTo(id: string): void {
  const ids = videos.state.items.map(({ video }) => video.id);
  const from = Math.max(0, ids.indexOf(tagging.chosenId ?? id));
  const to = ids.indexOf(id);
  videos.select(ids.slice(Math.min(from, to), Math.max(from, to) + 1));
}

export function toggleSelected(id: string): void {
  tagging.chosenId = id;
  videos.toggle(id);
}

export function selectAlso(...ids: string[]): void {
  const { selectedIds } = videos.state;
  videos.select([...selectedIds, ...ids.filter((id) => !selectedIds.includes(id))]);
}

/** From here on a press selects. */
export function startSelecting(): void {
  Object.assign(tagging, { isSelecting: true, ticked: [] });
}

export function stopSelecting(): void {
  tagging.isSelecting = false;
  videos.clearSelection();
}

/** What the panel is about: the selected videos, else the chosen one. */
export function panelVideos(
  {
    items,
    selectedIds,
  }: { readonly items: readonly TaggingVideo[]; readonly selectedIds: readonly string[] } = videos.state,
  chosenId: string | null = tagging.chosenId,
): readonly TaggingVideo[] {
  return items.filter(({ video }) => (selectedIds.length > 0 ? selectedIds.includes(video.id) : video.id === chosenId));
}

export function openPanel(): void {
  tagging.isPanelOpen = true;
}

export function closePanel(): void {
  tagging.isPanelOpen = false;
}

export function tick({ id, name, color }: Readonly<TagLabel>): void {
  const others = tagging.ticked.filter((one) => one.id !== id);
  tagging.ticked = others.length < tagging.ticked.length ? others : [...others, { id, name, color }];
}

export async function assignTicked(): Promise<void> {
  const labels = [...tagging.ticked];
  tagging.ticked = [];
  await addTags(panelVideos(), labels);
}

export function showHelp(isOpen: boolean): void {
  tagging.isHelpOpen = isOpen;
}

function resetTagging(): void {
  closePlayer();
  Object.assign(tagging, initial);
  resetChanges();
}

/** Without a network the tags of the list are shown, and the screen says that it is offline. */
function showUnlessOffline(error: unknown): void {
  if (!(error instanceof NetworkError)) showReadFailure(error);
}

type ListedVideo = TaggingVideo['video'];
type PlayedVideo = Pick<ListedVideo, 'filename' | 'url' | 'poster_url' | 'available' | 'message'>;

/** The video that plays over the screen. */
export const player = proxy<{ video: PlayedVideo | null }>({ video: null });

/** Aborted when another video is chosen, or the player is closed. */
let asking = new AbortController();

export async function play(listed: Readonly<ListedVideo>): Promise<void> {
  closePlayer();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const video = await readCurrent(listed, signal);
    if (signal.aborted) return;
    if (video.available) player.video = video;
    else changes.failure = video.message ?? failures.loadVideo;
  } catch {
    if (!signal.aborted) changes.failure = failures.loadVideo;
  }
}

/**
 * It is asked for again: a page that was kept long may be wrong about playing, and has the address of what is enough for
 * a card. That one plays where nobody answers soon.
 */
async function readCurrent(listed: Readonly<ListedVideo>, signal: AbortSignal): Promise<PlayedVideo> {
  const { id, url, available } = listed;
  try {
    const { video } = await call(readVideo, { params: { id }, signal, limitSeconds: limits.unansweredSeconds });
    return video.available ? { ...video, url: await fittingAddress(video, signal) } : video;
  } catch (error) {
    if (available && canStart(url, now()) !== false) return { ...listed };
    throw error;
  }
}

export function closePlayer(): void {
  asking.abort();
  player.video = null;
}
