import { limits } from '#contract/limits.ts';
import type { Connection, DeviceDatabase } from '../device-database.ts';
import { changeStore, deviceDatabase } from '../device-database.ts';
import type { SavedVideo } from './saved-video.ts';
import { nobody, readSavedVideo } from './saved-video.ts';

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The rows of the videos that this device keeps; nothing else writes them. Without a database there
 * are none: bytes that do not outlive the page are not saved.
 */
export class SavedStore {
  private readonly database: DeviceDatabase;

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  /** The videos of one viewer, the earliest saved first. */
  async list(userId: string): Promise<SavedVideo[]> {
    const rows: unknown[] = await this.database.runStored(
      (connection) => connection.getAllFromIndex('saved-videos', 'by-viewer', userId),
      () => [],
    );
    return rows.flatMap((row) => readSavedVideo(row) ?? []).sort((one, other) => one.savedAt - other.savedAt);
  }

  /** The rows of all viewers, and the ids of those that this build cannot use. */
  async listAll(): Promise<{ videos: SavedVideo[]; unusable: string[] }> {
    const [rows, keys] = await this.database.runStored(
      (connection) => Promise.all([connection.getAll('saved-videos'), connection.getAllKeys('saved-videos')]),
      () => [[], []] as [SavedVideo[], string[]],
    );
    const videos = rows.flatMap((row) => readSavedVideo(row) ?? []);
    const usable = new Set(videos.map(({ id }) => id));
    return { videos, unusable: keys.filter((key) => !usable.has(key)) };
  }

  /** The ids of these that have no row; none of them where rows cannot be read. */
  async listRowless(ids: readonly string[]): Promise<string[]> {
    const read = (connection: Connection) => connection.getAllKeys('saved-videos');
    const known = await this.database.runStored<readonly string[]>(read, () => ids);
    return ids.filter((id) => !known.includes(id));
  }

  async find(id: string): Promise<SavedVideo | null> {
    const read = (connection: Connection) => connection.get('saved-videos', id);
    return readSavedVideo(await this.database.runStored<unknown>(read, () => undefined));
  }

  /**
   * Adds a video, unless the viewer has the same file already: then a video of the reel becomes a
   * chosen one.
   * @returns the row as it is then; null when nothing can be stored
   * @throws when the device has no room
   */
  add(video: SavedVideo): Promise<SavedVideo | null> {
    return this.database.runStored<SavedVideo | null>(
      (connection) =>
        changeStore(connection, 'saved-videos', async (store) => {
          const own: unknown[] = await store.index('by-viewer').getAll(video.userId);
          const known = own.flatMap((row) => readSavedVideo(row) ?? []).find((row) => isSameFile(row, video));
          const row = known ? { ...known, kind: video.kind === 'chosen' ? video.kind : known.kind } : video;
          await store.put(row);
          return row;
        }),
      () => null,
    );
  }

  /**
   * Changes a row in one transaction.
   * @returns the row as it is then; null when it is removed, or when `change` returns null
   */
  change(id: string, change: (video: SavedVideo) => Partial<SavedVideo> | null): Promise<SavedVideo | null> {
    return this.database.runStored<SavedVideo | null>(
      (connection) =>
        changeStore(connection, 'saved-videos', async (store) => {
          const video = readSavedVideo(await store.get(id));
          const changed = video && change(video);
          if (!video || !changed) return null;
          const row = { ...video, ...changed };
          await store.put(row);
          return row;
        }),
      () => null,
    );
  }

  /** Removes rows. Their bytes are removed by `SavedBytes`, or by the sweep of the next start. */
  async remove(ids: readonly string[]): Promise<void> {
    await this.database.runStored(
      (connection) =>
        changeStore(connection, 'saved-videos', async (store) => {
          for (const id of ids) await store.delete(id);
        }),
      () => undefined,
    );
  }

  /**
   * Notes who is here: the rows of everybody else are locked from now on, and the viewer's own are
   * not. Rows without an account are never locked.
   * @returns the ids of rows that have been locked for `outboxKeptDays` of `sweepTime`
   */
  lockOthers(userId: string, time: number): Promise<string[]> {
    return this.database.runStored(
      (connection) =>
        changeStore(connection, 'saved-videos', async (store) => {
          const expired: string[] = [];
          for (const row of (await store.getAll()).flatMap((stored) => readSavedVideo(stored) ?? [])) {
            const isLocked = row.userId !== userId && row.userId !== nobody;
            const lockedAt = isLocked ? Math.min(row.lockedAt ?? time, time) : null;
            if (lockedAt !== row.lockedAt) await store.put({ ...row, lockedAt });
            if (lockedAt !== null && time - lockedAt > limits.outboxKeptDays * dayMs) expired.push(row.id);
          }
          return expired;
        }),
      () => [],
    );
  }
}

/** Two viewers never share bytes, so the viewer is part of the comparison. */
function isSameFile(one: SavedVideo, other: SavedVideo): boolean {
  return one.videoId === other.videoId && one.rendition === other.rendition;
}

export const savedStore = new SavedStore(deviceDatabase);
