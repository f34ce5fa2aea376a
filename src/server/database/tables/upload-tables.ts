import type { Flag, Instant } from './column-types.ts';

/** Files that somebody sends together. */
export interface UploadSessionsTable {
  id: string;
  /** Null once the account is gone. */
  user_id: string | null;
  /** SHA-256 of the key that its addresses take, base64url. */
  key_hash: string;
  state: 'open' | 'completed' | 'cancelled' | 'expired';
  /** JSON: the ids of the tags that its videos get. */
  tag_ids: string;
  /** 1: its videos are hidden until an administrator shows them. */
  needs_approval: Flag;
  created_at: Instant;
  /** When its last byte came. */
  active_at: Instant;
}

/** One file on its way, or what became of it. */
export interface UploadFilesTable {
  /** Also names its bytes on the disk. */
  id: string;
  session_id: string;
  user_id: string | null;
  /** In the session, from 0. */
  position: number;
  /** The last part of the address that its bytes go to. */
  address: string;
  /** A label: nothing on the disk is called by it. */
  filename: string;
  mime_type: string;
  /** As it was declared. */
  size: number;
  state: 'receiving' | 'completed' | 'failed';
  /** Bytes that had come when it was last written down: for people. What counts is on the disk. */
  received: number;
  /** Bytes a second, while it moves. */
  speed: number;
  /** Bytes that were on the disk for certain at the last durability point. */
  durable: number;
  /** 1: what is beyond `durable` is not to be trusted. */
  suspect: Flag;
  /** Why it failed, in words for its owner. */
  error: string | null;
  video_number: number | null;
  /** What it takes from its owner's quota; 0 for bytes that were there already. */
  stored_bytes: number;
  /** The request that works on it; it holds the lock until `lock_until` and renews that. */
  lock_owner: string | null;
  lock_until: Instant;
  /** 1: another request waits for it. */
  lock_wanted: Flag;
  /** 1: its sender has given it up, and no request has worked on it since. Only for one that is `receiving`. */
  given_up: Flag;
  created_at: Instant;
  completed_at: Instant | null;
  /** The removed video that it led to; null as long as that is there, and once its bytes are gone. */
  removed_upload: string | null;
  /** When it was deleted from its owner's history. */
  removed_at: Instant | null;
}

/** A video that somebody removed, as long as its bytes are there. */
export interface RemovedUploadsTable {
  /** Of the file that its bytes came as: it names them on the disk. */
  id: string;
  /** Whose quota its bytes count in; null once the account is gone. */
  user_id: string | null;
  removed_by: string | null;
  filename: string;
  size: number;
  /** JSON: its row of `videos` without the number. */
  video: string;
  /** JSON: the ids of the tags that were on it. */
  tag_ids: string;
  /** The fingerprint of its bytes when it was hidden; null for one that was shown. */
  hidden_fingerprint: string | null;
  removed_at: Instant;
}
