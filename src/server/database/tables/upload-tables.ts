import type { ColumnType } from 'kysely';
import type { Flag, Instant } from './column-types.ts';

/** Files that a person sends together. */
interface UploadSessionsTable {
  id: string;
  /** Null after the account was deleted. */
  user_id: string | null;
  /** SHA-256 of the key in its upload URLs, base64url. */
  key_hash: string;
  state: 'open' | 'completed' | 'cancelled' | 'expired';
  /** JSON: the ids of the tags for its videos. */
  tag_ids: string;
  /** 1: its videos are hidden until an administrator approves them. */
  needs_approval: Flag;
  created_at: Instant;
  /** When its last byte arrived. */
  active_at: Instant;
}

/** One file that is being uploaded, or was. */
interface UploadFilesTable {
  /** The id is also the name of its bytes on the disk. */
  id: string;
  session_id: string;
  user_id: string | null;
  /** The index in its session, from 0. */
  position: number;
  /** The last part of the upload URL. */
  address: string;
  /** For display only: no file on the disk has this name. */
  filename: string;
  /** The type that the sender declared, unchecked; may be empty. */
  mime_type: string;
  /** The size that the sender declared. */
  size: number;
  state: 'receiving' | 'completed' | 'failed';
  /** Received bytes when this was last written, for display; the file on the disk is decisive. */
  received: number;
  /** Bytes per second while it is being received. */
  speed: number;
  /** Bytes that were safely on the disk at the last flush, or are in the store. */
  durable: number;
  /** 1: bytes beyond `durable` are not to be trusted. */
  suspect: Flag;
  /** The store's name for its parts; null before the first one, and on a disk. */
  multipart: ColumnType<string | null, string | null | undefined, string | null>;
  /** JSON: the objects with the bytes behind its parts; null if there are none. */
  tails: ColumnType<string | null, string | null | undefined, string | null>;
  /** The reason for the failure, in words for its owner. */
  error: string | null;
  video_number: number | null;
  /** Bytes that count towards its owner's quota; 0 if they were stored already. */
  stored_bytes: number;
  /** The request that is working on it; it holds the lock until `lock_until` and renews it. */
  lock_owner: string | null;
  lock_until: Instant;
  /** 1: another request waits for the lock. */
  lock_wanted: Flag;
  /** 1: the sender abandoned it, and no request worked on it since. Only in state `receiving`. */
  given_up: Flag;
  created_at: Instant;
  completed_at: Instant | null;
  /**
   * The removed video made from it; null while the video exists, and once its bytes are deleted.
   */
  removed_upload: string | null;
  /** When it was deleted from its owner's history. */
  removed_at: Instant | null;
}

/** A part of a file that a store has taken while the file is being received. */
interface UploadPartsTable {
  file_id: string;
  /** From 1. */
  number: number;
  /** The store's name for these bytes. */
  etag: string;
  /** Their SHA-256, in hexadecimal. */
  sum: string;
  bytes: number;
}

/** A removed video whose bytes still exist. */
interface RemovedUploadsTable {
  /** The id of the upload file, which is also the name of its bytes on the disk. */
  id: string;
  /** The person whose quota its bytes count towards; null after the account was deleted. */
  user_id: string | null;
  removed_by: string | null;
  filename: string;
  size: number;
  /** JSON: its row of `videos` without the number. */
  video: string;
  /** JSON: the ids of its tags. */
  tag_ids: string;
  /** The fingerprint of its bytes if it was hidden; null if it was visible. */
  hidden_fingerprint: string | null;
  removed_at: Instant;
}

export interface UploadTables {
  upload_sessions: UploadSessionsTable;
  upload_files: UploadFilesTable;
  upload_parts: UploadPartsTable;
  removed_uploads: RemovedUploadsTable;
}
