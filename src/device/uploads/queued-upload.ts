import { newRandomId } from '../random-id.ts';

/* The uploads of this device, for page and worker. Instants are epoch milliseconds, sizes bytes. */

/** Files that are sent together: one session on the server. */
export interface UploadBatch {
  id: string;
  /**
   * Null: shared into the app while nobody was signed in; it is not sent before a user claims it.
   */
  userId: string | null;
  /**
   * `receiving`: the worker still stores files that another app shares, and no list shows it.
   * `draft`: chosen, not started. `open`: being sent. `completing`, `cancelling`: nothing is left
   * to send, and the server does not know yet. `over`: the server knows, and its session has ended;
   * its files are listed until they are cleared.
   */
  state: 'receiving' | 'draft' | 'open' | 'completing' | 'cancelling' | 'over';
  /** Null until the server has opened a session. */
  sessionId: string | null;
  /**
   * Authorizes requests to the upload URLs of its files. Deleted when the session ends, and when
   * its owner signs out.
   */
  key: string | null;
  /** The tags that all of its videos get. */
  tagIds: string[];
  createdAt: number;
  /**
   * When it is deleted (`sweepTime`): shared files that were never claimed, and those of which a
   * part never came.
   */
  keptUntil: number | null;
  /** The shared files that were refused. Emptied after they were shown. */
  rejections: Rejection[];
}

/** A file that is not sent, with the reason. */
export interface Rejection {
  filename: string;
  reason: string;
}

/**
 * The source of a file's bytes after a reload: a handle that the browser stored, a copy in pieces,
 * or the user, who chooses the file again.
 */
export type UploadSource =
  | { kind: 'handle'; handle: FileSystemFileHandle }
  | { kind: 'staged' }
  | { kind: 'picked-again' };

/**
 * Distinguishes a file from others of its name and size: SHA-256 of its first and of its last MiB,
 * in hexadecimal.
 */
export interface FileIdentity {
  headHash: string;
  tailHash: string;
}

/** The server's destination for the bytes. */
interface UploadAddress {
  /** The server's id of the file. */
  fileId: string;
  address: string;
  protocol: 'tus' | 'put';
}

/**
 * `sent`: the server has all bytes, and has not made a video of them yet. `completed` and `failed`
 * are final, but a failed upload can be tried again. `removed`: the user has removed it, and the
 * server does not know yet.
 */
type UploadState = 'pending' | 'uploading' | 'sent' | 'completed' | 'failed' | 'removed';

/** One file of a batch. */
export interface QueuedUpload {
  id: string;
  batchId: string;
  /** Its position in the batch, assigned by the store. */
  position: number;
  name: string;
  size: number;
  /** Its media type; empty where the browser knows none. */
  type: string;
  lastModified: number;
  /** Null until it is computed. */
  identity: FileIdentity | null;
  source: UploadSource;
  /**
   * The bytes that have been copied, from its beginning. The source becomes `staged` when the copy
   * is complete.
   */
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
  /** The reason why it failed, or why its video cannot be played here. */
  message: string | null;
  videoId: string | null;
  createdAt: number;
}

/** Whether the user has removed it from the list. */
export function isRemoved({ state }: Pick<QueuedUpload, 'state'>): boolean {
  return state === 'removed';
}

/** A file before the store has assigned its position. */
export type UploadDraft = Omit<QueuedUpload, 'position'>;

/** Creates a batch of chosen files that are not sent yet. */
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

/** Creates a file of a batch, of which nothing is copied or sent yet. */
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
