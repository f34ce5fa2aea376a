import { refreshToken } from '#app/platform/http/token-store.ts';
import { deviceClass } from '#app/playback/quality/device-class.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { Storyboard } from '#contract/entities/video.ts';
import { lackingNeeds } from '#contract/rules/media-needs.ts';
import { openSavedBytes, openStored } from '#device/saved/saved-bytes.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import type { SavedStoryboard, SavedVideo } from '#device/saved/saved-video.ts';
import { mayPlay, nobody } from '#device/saved/saved-video.ts';
import { restoreLastProfile } from '../account.ts';
import { savedUrlsEnded } from './saved-notice.ts';
import { latestTime } from './saved-rights.ts';
import { savedRemoved, savedViewer } from './saved-state.ts';

/** The object URLs of one saved video; they last as long as its row. */
interface SavedUrls {
  video: string;
  poster: string | null;
  sheet: string | null;
}

const urls = new Map<string, Promise<SavedUrls | null>>();

savedRemoved.listen((ids) => {
  for (const id of ids) void revoke(id);
});

/** The viewer's saved videos that may be played, and that this device plays. */
export async function listPlayable(): Promise<SavedVideo[]> {
  const viewer = savedViewer() ?? knownViewer();
  if (viewer === undefined) return [];
  const shared = reading?.viewer === viewer ? reading : { viewer, found: readAll(viewer) };
  reading = shared;
  const { rows, time } = await shared.found.finally(() => {
    if (reading === shared) reading = null;
  });
  const device = deviceClass();
  return rows.filter((row) => mayPlay(row, time) && lackingNeeds(row.needs, device) === 0);
}

/** Four quadrants that ask together are answered by one look into the database. */
let reading: { viewer: string; found: ReturnType<typeof readAll> } | null = null;

async function readAll(viewer: string): Promise<{ rows: SavedVideo[]; time: number }> {
  const [rows, time] = await Promise.all([savedStore.list(viewer), latestTime()]);
  return { rows, time };
}

/**
 * A saved video with the object URL of its bytes. Null when the browser has removed them: the video
 * is marked, and fetched again.
 */
export async function openVideo(row: SavedVideo): Promise<PlayableVideo | null> {
  const opened = urls.get(row.id) ?? open(row);
  urls.set(row.id, opened);
  const found = await opened;
  if (!found) {
    urls.delete(row.id);
    await markFailed(row.id, 'evicted');
    return null;
  }
  const { videoId: id, path, filename: title, rendition, width, height, durationSeconds, tagIds } = row;
  return {
    ...{ id, path, title, rendition, width, height, durationSeconds, tagIds },
    url: found.video,
    // No other encoding is asked for in its place.
    renditions: [],
    storyboard: row.storyboard && found.sheet !== null ? toStoryboard(row.storyboard, found.sheet) : null,
    posterUrl: found.poster,
  };
}

/** Marks the video behind an object URL, which did not play: it is left out, and fetched again. */
export async function noteFailure(url: string): Promise<void> {
  for (const [id, opened] of urls) {
    if ((await opened)?.video !== url) continue;
    await revoke(id);
    await markFailed(id, 'unplayable');
  }
}

/** Notes that a video plays from here: the reel gives way by the least recently played. */
export async function notePlayed(row: SavedVideo): Promise<void> {
  const playedAt = await latestTime();
  await savedStore.change(row.id, () => ({ playedAt })).catch(() => null);
}

/** A start does not wait for the code that fetches. */
async function markFailed(id: string, reason: 'evicted' | 'unplayable'): Promise<void> {
  const bytes = await openSavedBytes();
  if (reason === 'unplayable') await bytes?.remove(id).catch(() => {});
  await savedStore.change(id, ({ failures }) => ({
    state: 'failed',
    reason,
    ...(reason === 'unplayable' && { savedBytes: 0, failures: failures + 1 }),
  }));
  const session = await import('./saved-session.ts').catch(() => null);
  await session?.announceSaved();
}

async function open(row: SavedVideo): Promise<SavedUrls | null> {
  const bytes = await openStored(row);
  if (!bytes) return null;
  const urlOf = (blob: Blob | null) => blob && URL.createObjectURL(blob);
  return { video: URL.createObjectURL(bytes), poster: urlOf(row.poster), sheet: urlOf(row.storyboard?.sheet ?? null) };
}

async function revoke(id: string): Promise<void> {
  const opened = urls.get(id);
  urls.delete(id);
  const found = await opened;
  if (found) savedUrlsEnded.emit([found.video]);
  for (const url of found ? [found.video, found.poster, found.sheet] : []) if (url !== null) URL.revokeObjectURL(url);
}

function toStoryboard(
  { columns, rows, tileWidth, tileHeight, intervalSeconds }: SavedStoryboard,
  url: string,
): Storyboard {
  return { url, columns, rows, tile_width: tileWidth, tile_height: tileHeight, interval_seconds: intervalSeconds };
}

/**
 * Who is here, as far as this device knows: a start without a network cannot wait for the profile,
 * and the blocklist is the last known one.
 */
function knownViewer(): string | undefined {
  restoreLastProfile();
  return savedViewer() ?? (refreshToken() === null ? nobody : undefined);
}
