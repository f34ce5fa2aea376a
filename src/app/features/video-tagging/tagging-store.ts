import { proxy } from 'valtio/vanilla';
import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { ChannelCreation, readGivenIds } from '#app/state/channel-creation.ts';
import { readChannelsOf } from '#app/state/channels.ts';
import { onOutboxSent, outbox } from '#app/state/outbox/outbox-state.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { settings } from '#app/state/settings.ts';
import { readVideo } from '#contract/endpoints.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { isUntagged } from '#contract/rules/tag.ts';
import { startFailures } from '#contract/start.ts';
import { isTemporary } from '#device/outbox-entry.ts';
import { now } from '#device/timers.ts';
import { addTags, changes, resetChanges, showReadFailure } from './change-tags.ts';
import type { TaggingVideo } from './videos-store.ts';
import { findVideo, loaded, openVideos, refreshTags, taggingVideos } from './videos-store.ts';

interface TaggingState {
  /** Id of the video in the panel while none are selected. */
  chosenId: string | null;
  /** Whether the panel is open as a sheet, on narrow screens. */
  isPanelOpen: boolean;
  /** Whether a press selects a video instead of choosing it. */
  isSelecting: boolean;
  /** The ticked tags, to be assigned. */
  ticked: TagLabel[];
  /** Whether the list of keys is open. */
  isHelpOpen: boolean;
}

const initial: TaggingState = { chosenId: null, isPanelOpen: false, isSelecting: false, ticked: [], isHelpOpen: false };

export const tagging = proxy<TaggingState>({ ...initial });

/** The active tags to add, and new ones. */
export const tagChoices = new ChannelCreation(failures.loadTags);

/** Opens the screen's lists. Returns a function that closes them. */
export function openTagging(): () => void {
  const stops = [
    openVideos(),
    tagChoices.open(),
    onOutboxSent(showSent),
    changedOnServer.tags.listen(() => void followTags()),
    resetTagging,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Goes to a page. Where untagged videos are listed alone or first, those that have got tags have
 * made room for others: going on loads the same page, as the next one would leave these out.
 */
export function goToPage(page: number): void {
  const { items, page: current, filters } = taggingVideos.state;
  const isUntaggedList = filters.isUntaggedOnly || filters.isUntaggedFirst;
  const haveLeft = items.some(({ video, tags }) => loaded.wereUntagged[video.id] && !isUntagged(tags));
  const areSent = outbox.entries.length === 0;
  if (isUntaggedList && haveLeft && areSent && page === current + 1) {
    taggingVideos.clearSelection();
    void taggingVideos.reload();
  } else taggingVideos.goTo(page);
}

/**
 * Shows the tags that others have renamed, merged or removed as they are now. The videos keep their
 * positions.
 */
async function followTags(): Promise<void> {
  void tagChoices.list.reload();
  const shown = [...tagging.ticked, ...taggingVideos.state.items.flatMap(({ tags }) => tags)];
  const asked = [...new Set(shown.map(({ id }) => id))].filter((id) => !isTemporary(id));
  // If no answer comes, everything stays as it is.
  const found = await readChannelsOf(asked).catch(() => null);
  if (found === null) return;
  const isGone = ({ id }: TagLabel) => asked.includes(id) && !found.some((tag) => tag.id === id);
  const renew = <Label extends TagLabel>(label: Label): Label => {
    const { name, color } = found.find(({ id }) => id === label.id) ?? label;
    return { ...label, name, color };
  };
  tagging.ticked = tagging.ticked.filter((label) => !isGone(label)).map(renew);
  taggingVideos.update((items) => items.map((item) => ({ ...item, tags: item.tags.map(renew) })));
  for (const { video, tags } of taggingVideos.state.items)
    if (tags.some(isGone)) refreshTags(video).catch(showUnlessOffline);
}

function showSent(): void {
  void tagChoices.refresh();
  taggingVideos.forgetLater();
  void settleTicked();
}

/** Replaces the temporary ids of tags that the server has created meanwhile. */
async function settleTicked(): Promise<void> {
  const given = await readGivenIds(tagging.ticked.map(({ id }) => id));
  tagging.ticked = tagging.ticked.map((label) => ({ ...label, id: given(label.id) }));
}

/** Handles a plain press on a card. */
export function pressVideo(id: string): void {
  if (tagging.isSelecting) {
    toggleSelected(id);
    return;
  }
  taggingVideos.clearSelection();
  choose(id);
  tagging.isPanelOpen = true;
}

/** Shows a video in the panel, and reloads its tags (§4 Tagging). */
export function choose(id: string): void {
  if (id !== tagging.chosenId) tagging.ticked = [];
  tagging.chosenId = id;
  const item = findVideo(id);
  if (item) refreshTags(item.video).catch(showUnlessOffline);
}

/** Selects the range from the chosen video to this one. */
export function selectTo(id: string): void {
  const ids = taggingVideos.state.items.map(({ video }) => video.id);
  const from = Math.max(0, ids.indexOf(tagging.chosenId ?? id));
  const to = ids.indexOf(id);
  taggingVideos.select(ids.slice(Math.min(from, to), Math.max(from, to) + 1));
}

export function toggleSelected(id: string): void {
  tagging.chosenId = id;
  taggingVideos.toggle(id);
}

export function selectAlso(...ids: string[]): void {
  const { selectedIds } = taggingVideos.state;
  taggingVideos.select([...selectedIds, ...ids.filter((id) => !selectedIds.includes(id))]);
}

/** Makes presses select videos from now on. */
export function startSelecting(): void {
  Object.assign(tagging, { isSelecting: true, ticked: [] });
}

export function stopSelecting(): void {
  tagging.isSelecting = false;
  taggingVideos.clearSelection();
}

/** The videos of the panel: the selected ones, else the chosen one. */
export function panelVideos(
  {
    items,
    selectedIds,
  }: { readonly items: readonly TaggingVideo[]; readonly selectedIds: readonly string[] } = taggingVideos.state,
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

/** Creates a tag of the typed name, and ticks it if the panel still shows the same videos. */
export async function createTicked(): Promise<void> {
  const idsOf = () => panelVideos().map(({ video }) => video.id);
  const before = idsOf().join();
  const label = await tagChoices.create();
  if (label && before === idsOf().join()) tick(label);
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
  closeTaggingPlayer();
  Object.assign(tagging, initial);
  resetChanges();
}

/**
 * Offline there is no failure to show: the tags of the list are used, and the screen says that it
 * is offline.
 */
function showUnlessOffline(error: unknown): void {
  if (!(error instanceof NetworkError)) showReadFailure(error);
}

type ListedVideo = TaggingVideo['video'];
type PlayedVideo = Pick<ListedVideo, 'id' | 'title' | 'url' | 'poster_url' | 'available' | 'message'>;

/** The video that plays over the screen. */
export const taggingPlayer = proxy<{ video: PlayedVideo | null }>({ video: null });

/** Aborted when another video is chosen, or the player is closed. */
let asking = new AbortController();

export async function playListed(listed: Readonly<ListedVideo>): Promise<void> {
  closeTaggingPlayer();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const video = await readCurrent(listed, signal);
    if (signal.aborted) return;
    if (video.available) taggingPlayer.video = video;
    else changes.failure = video.message ?? startFailures.loadVideo;
  } catch {
    if (!signal.aborted) changes.failure = startFailures.loadVideo;
  }
}

/**
 * Reads the video again, because a page kept for long may be outdated, and its URL is meant for a
 * card. If no reply comes soon, that URL is played.
 */
async function readCurrent(listed: Readonly<ListedVideo>, signal: AbortSignal): Promise<PlayedVideo> {
  const { id, url, available } = listed;
  try {
    const { video } = await call(readVideo, { params: { id }, signal, limitSeconds: limits.unansweredSeconds });
    return video.available ? { ...video, url: await fittingAddress(video, settings.quality, signal) } : video;
  } catch (error) {
    if (available && canStart(url, now()) !== false) return { ...listed };
    throw error;
  }
}

export function closeTaggingPlayer(): void {
  asking.abort();
  taggingPlayer.video = null;
}
