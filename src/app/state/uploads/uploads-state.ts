import { proxy } from 'valtio/vanilla';

/**
 * The reason why a file waits. `start`: the button was not pressed; `turn`: other files come first;
 * `network`: there is none; `wifi`: only Wi-Fi is allowed; `retry`: another attempt follows a
 * failure; `paused`; `pick-again`: the user has to choose the file again; `permission`: the user
 * has to allow reading it again; `other-tab`: another tab sends; `sign-in`: the user has to sign
 * in.
 */
export type UploadWait =
  | 'start'
  | 'turn'
  | 'network'
  | 'wifi'
  | 'retry'
  | 'paused'
  | 'pick-again'
  | 'permission'
  | 'other-tab'
  | 'sign-in';

export type UploadStatus =
  | { kind: 'waiting'; reason: UploadWait }
  /**
   * `resumedAt`: percent at which it was resumed after an interruption, until the first new byte is
   * confirmed.
   */
  | { kind: 'uploading'; resumedAt: number | null }
  /** The server has all bytes of the file, but not of its batch. */
  | { kind: 'sent' }
  /** The server makes a video of it. */
  | { kind: 'processing' }
  /** `note`: the reason why the video cannot be played here. */
  | { kind: 'completed'; videoId: string | null; note: string | null }
  | { kind: 'failed'; message: string };

/** A file in the list. Sizes are bytes. */
export interface UploadRow {
  id: string;
  batchId: string;
  name: string;
  size: number;
  /** Bytes that the server has confirmed. */
  acknowledgedBytes: number;
  /** Bytes a second; null while unknown. */
  speed: number | null;
  secondsLeft: number | null;
  status: UploadStatus;
  /** False when the user has to choose the file again after this page is closed. */
  resumesByItself: boolean;
  /** The reason why it is sent from the beginning. */
  note?: string | null;
}

/** Files that were shared into the app, and are not claimed yet. */
export interface SharedBatch {
  batchId: string;
  names: string[];
  /** The bytes of all files. */
  size: number;
}

interface UploadsState {
  /** False until the stored uploads are read. */
  isLoaded: boolean;
  /** The signed-in person's files, in the order in which they were added. */
  rows: UploadRow[];
  /** Shared files that the signed-in user can add or discard. */
  shared: SharedBatch[];
  /** The tags of the batch that is being chosen or sent. */
  tagIds: string[];
  /** Seconds left for all files that are sent or continue automatically; null while unknown. */
  secondsLeft: number | null;
  /** The number of batches with files that were removed, which the server does not know yet. */
  ending: number;
  /** False when the list is lost with the page. */
  isLasting: boolean;
  /** The reason why the session could not be opened; the screen shows it once and dismisses it. */
  startFailure: string | null;
}

export const uploads = proxy<UploadsState>({
  isLoaded: false,
  rows: [],
  shared: [],
  tagIds: [],
  secondsLeft: null,
  ending: 0,
  isLasting: true,
  startFailure: null,
});

type Row = Readonly<Pick<UploadRow, 'status' | 'resumesByItself'>>;

/** Whether a file is being sent, or will be without any action of the user. */
export function isMoving({ status }: Pick<Row, 'status'>): boolean {
  return status.kind === 'uploading' || waitsFor(status, 'turn') || waitsFor(status, 'retry');
}

/**
 * Whether a moving file would have to be chosen again if the page were closed now: closing warns
 * about it (§4 Upload).
 */
export function isAtRisk(row: Row): boolean {
  return isMoving(row) && !row.resumesByItself;
}

/** Whether a file is neither a video yet nor failed. */
export function isUnfinished({ status }: Pick<Row, 'status'>): boolean {
  return status.kind !== 'completed' && status.kind !== 'failed';
}

/** Whether the server is still missing bytes of the file or of its batch. */
export function needsDevice({ status }: Pick<Row, 'status'>): boolean {
  return status.kind === 'waiting' || status.kind === 'uploading' || status.kind === 'sent';
}

export function waitsFor(status: Row['status'], ...reasons: string[]): boolean {
  return status.kind === 'waiting' && reasons.includes(status.reason);
}

/** A file that the user chose, dropped or opened; with a handle when the browser gives one. */
export interface PickedFile {
  file: File;
  handle: FileSystemFileHandle | null;
}

/** The actions on the signed-in user's uploads. Loaded with the engine, by `loadUploadQueue`. */
export interface UploadQueue {
  /** Stores files, which are sent after `start`. @returns the refused ones, each with its reason */
  add(files: readonly PickedFile[]): Promise<{ filename: string; reason: string }[]>;
  /**
   * Opens a session for the files that wait for the button, and sends them. A failure is in
   * `uploads.startFailure`.
   */
  start(): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  pauseAll(): Promise<void>;
  resumeAll(): Promise<void>;
  /** Tries a failed file again, from the bytes that the server has. */
  retry(id: string): Promise<void>;
  /** Removes a file from the list; the server deletes its part of it. */
  remove(id: string): Promise<void>;
  clearCompleted(): Promise<void>;
  clearAll(): Promise<void>;
  /**
   * Resumes a file that was chosen again. @returns the reason why it is a different file; null when
   * it is the same
   */
  pickAgain(id: string, file: PickedFile): Promise<string | null>;
  /**
   * Requests permission to read a stored file; must be called in a user gesture. @returns whether
   * it may be read
   */
  askPermission(id: string): Promise<boolean>;
  /** Sets the tags of the batch, before or while it is sent. */
  setTags(tagIds: readonly string[]): Promise<void>;
  /**
   * Claims shared files for the signed-in user, ready to be sent. @returns the refused ones, each
   * with its reason
   */
  claimShared(batchId: string): Promise<{ filename: string; reason: string }[]>;
  discardShared(batchId: string): Promise<void>;
}
