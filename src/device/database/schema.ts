import type { DBSchema } from 'idb';
import type { OutboxEntry } from '../outbox/outbox-entry.ts';
import type { QueuedUpload, UploadBatch } from '../uploads/queued-upload.ts';

/*
 * Everything that this device stores beyond a few settings, for page and worker alike. Instants are epoch
 * milliseconds, sizes bytes. What belongs to a person carries their id: nobody else reads it or sends it.
 */

/** A call of a list and its answer as the server gave it. */
export interface CachedAnswer {
  /** Names the viewer at random (`viewer.ts`). */
  mark: string;
  /** The call's address in one order (`toCacheKey`). */
  query: string;
  /** JSON. */
  body: string;
  storedAt: number;
  usedAt: number;
}

/** One piece of a large file: single records of more than some 100 MiB fail in several engines. */
export interface Piece {
  /** The upload's or the video's id. */
  ownerId: string;
  /** From 0, without gaps. */
  index: number;
  bytes: ArrayBuffer;
}

/** A video that plays without the network. Its pieces have `savedPieceBytes` each, the last one fewer. */
interface SavedVideo {
  id: string;
  /** Null: saved by nobody in particular, as an anonymous viewer does. */
  userId: string | null;
  /** Saved by hand until it is removed, or by itself: then the oldest go first. */
  kind: 'chosen' | 'reel';
  filename: string;
  tagIds: string[];
  durationSeconds: number | null;
  rendition: string;
  type: string;
  size: number;
  savedBytes: number;
  poster: ArrayBuffer | null;
  savedAt: number;
}

/** `holder`: names a page at random. */
export interface Lease {
  holder: string;
  until: number;
}

/** What is known of this device, each under its name. */
export interface Facts {
  /** Whose answers are cached. Null for `userId`: an anonymous viewer. */
  viewer: { mark: string; userId: string | null };
  /** Which page sends the outbox where there are no Web Locks, and until when. */
  'outbox-lease': Lease;
  /** Likewise of files. */
  'uploads-lease': Lease;
}

/** The database numbers an entry when it is added. */
type StoredEntry = Omit<OutboxEntry, 'number'> & Partial<Pick<OutboxEntry, 'number'>>;

export interface DeviceSchema extends DBSchema {
  'cached-answers': { key: [mark: string, query: string]; value: CachedAnswer; indexes: { 'by-use': number } };
  outbox: { key: number; value: StoredEntry; indexes: { 'by-user': [userId: string, number: number] } };
  'upload-batches': { key: string; value: UploadBatch; indexes: { 'by-state': UploadBatch['state'] } };
  uploads: { key: string; value: QueuedUpload; indexes: { 'by-batch': [batchId: string, position: number] } };
  'upload-pieces': { key: [ownerId: string, index: number]; value: Piece };
  'saved-videos': { key: string; value: SavedVideo; indexes: { 'by-age': [kind: string, savedAt: number] } };
  'saved-pieces': { key: [ownerId: string, index: number]; value: Piece };
  facts: { key: keyof Facts; value: Facts[keyof Facts] };
}
