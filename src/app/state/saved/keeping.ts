import { proxy, ref } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import { listVideosByTags } from '#contract/endpoints.ts';
import type { VideoEncoding } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { facts } from '#device/device-database.ts';
import { newRandomId } from '#device/random-id.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { KeptFilter, SavedVideo } from '#device/saved/saved-video.ts';
import { earnInstall } from '../install.ts';
import { openDialog } from '../navigation.ts';
import { heldUntil, latestTime } from './saved-rights.ts';
import { askToKeep, readRoom } from './saved-room.ts';
import { announceSaved, startSaved, stopSaved } from './saved-session.ts';
import { saved, savedChecked, savedViewer } from './saved-state.ts';

/** A video to keep, and the file of it that is fetched. */
export interface Keeping {
  video: PlayableVideo;
  file: VideoEncoding;
}

/**
 * The file that is kept of a video: the small encoding, or the large one where the viewer wants it;
 * without either, the source. Null when there is none that this device plays and may hold.
 */
export function keepingOf(video: PlayableVideo, inHd: boolean): Keeping | null {
  const find = (name: VideoEncoding['name']) => video.renditions.find((encoding) => encoding.name === name);
  const file = (inHd ? find('hd') : undefined) ?? find('grid') ?? find('source');
  return file && file.bytes > 0 && file.bytes <= limits.savedFileBytes ? { video, file } : null;
}

/** The viewer wants to keep a video, or the newest of a channel or of a filter. */
export type KeepRequest =
  | { kind: 'video'; video: PlayableVideo }
  /** `name`: what viewers call it. */
  | { kind: 'filter'; filter: TagFilter; name: string };

export const keepRequest = proxy<{ current: KeepRequest | null }>({ current: null });

/** Opens the dialog that says what keeping takes. */
export function requestKeep(what: KeepRequest): void {
  keepRequest.current = ref(what);
  openDialog('keep');
}

/**
 * The newest videos of a filter, which are kept as far as there is room for them.
 * @param since those that came to the site later, in epoch milliseconds
 * @returns also when the newest video of the filter came, by the clock of the server; without one,
 * `since`
 */
export async function listNewest(
  { tagIds, mode }: TagFilter,
  since = 0,
): Promise<{ videos: PlayableVideo[]; newestAt: number }> {
  const query = { tag_ids: joinIds(tagIds), filter_mode: mode, limit: limits.filterCacheVideos };
  const available = (await call(listVideosByTags, { query })).videos.filter((video) => video.available);
  const cameAt = ({ created_at }: (typeof available)[number]) => Date.parse(created_at);
  const wanted = available.filter((video) => cameAt(video) > since);
  return {
    videos: wanted.map((video) => toPlayableVideo(video, renditionOf(video.url))),
    newestAt: available.length > 0 ? Math.max(...available.map(cameAt)) : since,
  };
}

/**
 * Returns as many of the videos, in their order, as fit.
 * @param left bytes
 * @param seconds of playing time at most; null: as much as fits
 */
export function fitting(keepings: readonly Keeping[], left: number, seconds: number | null): Keeping[] {
  const chosen: Keeping[] = [];
  let [bytes, played] = [0, 0];
  for (const keeping of keepings) {
    if (seconds !== null && played >= seconds) break;
    if (bytes + keeping.file.bytes > left) continue;
    chosen.push(keeping);
    bytes += keeping.file.bytes;
    played += keeping.video.durationSeconds ?? 0;
  }
  return chosen;
}

/** The viewer's row of a video; a chosen one before one of the reel. */
export function savedOf(rows: readonly SavedVideo[], videoId: string): SavedVideo | null {
  const own = rows.filter((row) => row.videoId === videoId);
  return own.find(({ kind }) => kind === 'chosen') ?? own[0] ?? null;
}

/**
 * Keeps videos for the viewer, as soon as there is a connection for them.
 * @param channelId the channel that they are kept with
 * @returns false when this browser cannot keep videos, or it is not known who is here
 * @throws when the device has no room for a row
 */
export async function keepVideos(keepings: readonly Keeping[], channelId: string | null = null): Promise<boolean> {
  const userId = savedViewer();
  if (userId === undefined || saved.isPossible === false) return false;
  const isFirst = !saved.rows.some(({ kind }) => kind === 'chosen');
  if (isFirst) void askToKeep();
  earnInstall();
  const added = await addRows(keepings, { userId, channelId });
  await announceSaved(added);
  return added.length > 0;
}

/** @returns the ids of the rows, new and known ones */
async function addRows(
  keepings: readonly Keeping[],
  owner: { userId: string; channelId: string | null },
): Promise<string[]> {
  const time = await latestTime();
  const added: string[] = [];
  for (const [at, keeping] of keepings.entries()) {
    // A millisecond apart, so that the list keeps their order.
    const row = await savedStore.add(toRow(keeping, { ...owner, time: time + at }));
    if (row) added.push(row.id);
  }
  return added;
}

function toRow(
  { video, file }: Keeping,
  { userId, channelId, time }: { userId: string; channelId: string | null; time: number },
): SavedVideo {
  const { id, path, title: filename, tagIds, durationSeconds, width, height } = video;
  return {
    ...{ id: newRandomId(), videoId: id, path, filename, durationSeconds, width, height, userId, channelId },
    ...{ version: '', rendition: file.name, size: file.bytes, needs: file.needs ?? 0, type: '' },
    ...{ kind: 'chosen', state: 'waiting', reason: null, failures: 0, savedBytes: 0, tagIds: [...tagIds] },
    ...{ poster: null, storyboard: null, subtitles: [], encodedSince: null },
    ...{ savedAt: time, playedAt: null, checkedAt: time, holdsUntil: heldUntil(file.name, time), lockedAt: null },
  };
}

export async function pauseSaved(id: string): Promise<void> {
  await savedStore.change(id, ({ state }) => (state === 'whole' ? null : { state: 'paused', reason: null }));
  await announceSaved();
}

/**
 * Goes on with a paused video, and tries a failed one again. One that was not made smaller in time
 * goes on with its source.
 */
export async function resumeSaved(id: string): Promise<void> {
  await savedStore.change(id, ({ state, reason }) =>
    state === 'whole'
      ? null
      : { state: 'waiting', reason: null, failures: 0, encodedSince: reason === 'not-smaller' ? 0 : null },
  );
  await announceSaved([id]);
}

let stopFollowing: (() => void) | null = null;

/** Starts showing and fetching the viewer's saved videos. Further calls do nothing. */
export function startKeeping(): void {
  stopFollowing ??= savedChecked.listen(() => void followFilters().catch(ignoreUntilNextCheck));
  startSaved();
}

export function stopKeeping(): void {
  stopFollowing?.();
  stopFollowing = null;
  stopSaved();
}

/** Keeps what comes into a filter from now on. */
export async function followFilter(filter: Omit<KeptFilter, 'userId'>): Promise<void> {
  const userId = savedViewer();
  if (userId === undefined) return;
  await facts.update('kept-filters', (known = []) => [
    ...known.filter((one) => !isSameFilter(one, { ...filter, userId })),
    { ...filter, userId },
  ]);
}

/** Ends following all filters of the viewer. */
export async function forgetFilters(): Promise<void> {
  const userId = savedViewer();
  await facts.update('kept-filters', (known = []) => known.filter((one) => one.userId !== userId));
}

/**
 * Keeps what has come into the viewer's filters. What they have removed does not come back: only
 * what is newer than the last look is kept. Nobody has pressed for it, so it waits under Save-Data.
 */
async function followFilters(): Promise<void> {
  const userId = savedViewer();
  const filters = (await facts.read('kept-filters')) ?? [];
  for (const filter of filters.filter((one) => one.userId === userId)) {
    const { tagIds, mode, inHd, since } = filter;
    const { videos, newestAt } = await listNewest({ tagIds, mode }, since);
    const keepings = videos.flatMap((video) => keepingOf(video, inHd) ?? []);
    const chosen = fitting(keepings, (await readRoom()).left, restOf(filter));
    // Another person may have signed in meanwhile.
    if (userId === undefined || savedViewer() !== userId) return;
    if (chosen.length > 0) await addRows(chosen, { userId, channelId: tagIds[0] ?? null });
    await facts.update('kept-filters', (known = []) =>
      known.map((one) => (isSameFilter(one, filter) ? { ...one, since: newestAt } : one)),
    );
  }
  await announceSaved();
}

/** The seconds that may still be kept of a filter; null: as much as fits. */
function restOf({ tagIds, seconds }: KeptFilter): number | null {
  if (seconds === null) return null;
  const ofFilter = saved.rows.filter(({ channelId }) => channelId === tagIds[0]);
  const kept = ofFilter.reduce((sum, { durationSeconds }) => sum + (durationSeconds ?? 0), 0);
  return Math.max(0, seconds - kept);
}

function isSameFilter(one: KeptFilter, other: Pick<KeptFilter, 'userId' | 'tagIds'>): boolean {
  return one.userId === other.userId && joinIds(one.tagIds) === joinIds(other.tagIds);
}

/** The next check looks again. */
function ignoreUntilNextCheck(): void {}
