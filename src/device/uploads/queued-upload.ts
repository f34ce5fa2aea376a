import { newRandomId } from '../random-id.ts';

/*
 * What this device has to send, for page and worker alike. Instants are epoch milliseconds, sizes bytes.
 */

/** Files that are sent together: one session on the server. */
export interface UploadBatch {
  id: string;
  /** Null: shared into the app while nobody was signed in; nobody sends it before somebody has claimed it. */
  userId: string | null;
  /**
   * `receiving`: the worker still stores what another app shares; nobody sees it. `draft`: chosen, not yet to be sent. `open`: being sent. `completing`, `cancelling`: nothing is left to be sent, and
   * the server is still to be told. `over`: it was told, and its session has ended; its files are listed until they are
   * cleared.
   */
  state: 'receiving' | 'draft' | 'open' | 'completing' | 'cancelling' | 'over';
  /** Null until the server has opened a session. */
  sessionId: string | null;
  /** Opens the addresses of its files. Dropped when the session ends, and when its owner signs out. */
  key: string | null;
  /** What all of its videos get. */
  tagIds: string[];
  createdAt: number;
  /** Dropped after that: what was shared and never claimed, and a session that the server has ended by then. */
  keptUntil: number | null;
  /** What was shared with the others and refused. Emptied once it was shown. */
  rejections: Rejection[];
}

/** A file that is not sent, and why. */
export interface Rejection {
  filename: string;
  reason: string;
}

/**
 * Where the bytes of a file come from after a reload: a handle that the browser stored, a copy of ours in pieces, or
 * the person, who picks the file again.
 */
export type UploadSource =
  | { kind: 'handle'; handle: FileSystemFileHandle }
  | { kind: 'staged' }
  | { kind: 'picked-again' };

/** Tells a file from others of its name and size: SHA-256 of its first and of its last MiB, hexadecimal. */
export interface FileIdentity {
  headHash: string;
  tailHash: string;
}

/** Where the server wants the bytes. */
interface UploadAddress {
  /** The server's id of the file. */
  fileId: string;
  address: string;
  protocol: 'tus' | 'put';
}

/**
 * `sent`: all bytes are with the server, which has not made a video of them yet. `completed` and `failed` are ends;
 * a failed one can be tried again. `removed`: the person has taken it out, and the server is still to be told.
 */
type UploadState = 'pending' | 'uploading' | 'sent' | 'completed' | 'failed' | 'removed';

/** One file of a batch. */
export interface QueuedUpload {
  id: string;
  batchId: string;
  /** Its place in the batch; the store gives it. */
  position: number;
  name: string;
  size: number;
  /** Its media type; empty where the browser knows none. */
  type: string;
  lastModified: number;
  /** Null until it was read. */
  identity: FileIdentity | null;
  source: UploadSource;
  /** How much of it our copy holds, from its beginning. The source is `staged` once that is all of it. */
  stagedBytes: number;
  /** Null until the session is open. */
  destination: UploadAddress | null;
  /** Bytes that the server has confirmed. */
  acknowledgedBytes: number;
  state: UploadState;
  isPaused: boolean;
  /** Attempts since the last progress. */
  attempts: number;
  nextAttemptAt: number;
  /** Why it failed, or why the video that came of it cannot be played here. */
  message: string | null;
  videoId: string | null;
  createdAt: number;
}

/** It is listed for nobody any more. */
export function isRemoved({ state }: Pick<QueuedUpload, 'state'>): boolean {
  return state === 'removed';
}

/** A file before the store has given it its place. */
export type UploadDraft = Omit<QueuedUpload, 'position'>;

/** A batch of files that were chosen, and are not sent yet. */
export function newBatch(facts: Pick<UploadBatch, 'userId' | 'createdAt'> & Partial<UploadBatch>): UploadBatch {
  return {
    id: newRandomId(),
    state: 'draft',
    sessionId: null,
    key: null,
    tagIds: [],
    keptUntil: null,
    rejections: [],
    ...facts,
  };
}

/** A file of a batch; nothing of it was copied or sent. */
export function newUpload(
  { name, size, type, lastModified }: Pick<File, 'name' | 'size' | 'type' | 'lastModified'>,
  facts: { batchId: string; source: UploadSource; createdAt: number },
): UploadDraft {
  return {
    id: newRandomId(),
    name,
    size,
    type,
    lastModified,
    identity: null,
    stagedBytes: 0,
    destination: null,
    acknowledgedBytes: 0,
    state: 'pending',
    isPaused: false,
    attempts: 0,
    nextAttemptAt: 0,
    message: null,
    videoId: null,
    ...facts,
  };
}
