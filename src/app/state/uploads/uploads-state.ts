import { proxy } from 'valtio/vanilla';

/**
 * What a file waits for: `start`: the button; `turn`: others before it; `network`; `wifi`: only Wi-Fi was allowed;
 * `retry`: a further attempt after a failure; `paused`; `pick-again`: the person has to choose the file again;
 * `permission`: the person has to allow reading it again; `other-tab`: another tab sends; `sign-in`.
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
  /** `resumedAt`: percent at which it went on after an interruption, until the first new byte is confirmed. */
  | { kind: 'uploading'; resumedAt: number | null }
  /** All bytes are with the server; the rest of its batch is not. */
  | { kind: 'sent' }
  /** The server makes a video of it. */
  | { kind: 'processing' }
  /** `note`: why the video cannot be played here. */
  | { kind: 'completed'; videoId: string | null; note: string | null }
  | { kind: 'failed'; message: string };

/** A file in the list. Sizes are bytes. */
export interface UploadRow {
  id: string;
  batchId: string;
  name: string;
  size: number;
  /** Confirmed by the server. */
  acknowledgedBytes: number;
  /** Bytes a second; null while unknown. */
  speed: number | null;
  secondsLeft: number | null;
  status: UploadStatus;
  /** False: after this page is closed, the person has to choose the file again. */
  resumesByItself: boolean;
  /** Why it is sent from the beginning. */
  note?: string | null;
}

/** Files that were shared into the app, and belong to nobody yet. */
export interface SharedFiles {
  batchId: string;
  names: string[];
  /** Bytes of all of them. */
  size: number;
}

interface UploadsState {
  /** False until what this device has stored was read. */
  isLoaded: boolean;
  /** The signed-in person's files, in the order in which they were added. */
  rows: UploadRow[];
  /** For whoever is signed in to add or to discard. */
  shared: SharedFiles[];
  /** What the batch that is being chosen or sent gets. */
  tagIds: string[];
  /** Of everything that moves or can go on by itself. */
  secondsLeft: number | null;
  /** False: the list ends with the page. */
  isLasting: boolean;
  /** Why the session could not be opened; the screen shows it once and dismisses it. */
  startFailure: string | null;
}

export const uploads = proxy<UploadsState>({
  isLoaded: false,
  rows: [],
  shared: [],
  tagIds: [],
  secondsLeft: null,
  isLasting: true,
  startFailure: null,
});

type Row = Readonly<Pick<UploadRow, 'status' | 'resumesByItself'>>;

/** It is being sent, or is about to be without anybody's doing. */
export function isMoving({ status }: Pick<Row, 'status'>): boolean {
  return status.kind === 'uploading' || waitsFor(status, 'turn') || waitsFor(status, 'retry');
}

/** It is moving, and would have to be chosen again if the page ended now: what closing warns of (§4 Upload). */
export function isAtRisk(row: Row): boolean {
  return isMoving(row) && !row.resumesByItself;
}

/** It is neither a video yet, nor has it failed. */
export function isUnfinished({ status }: Pick<Row, 'status'>): boolean {
  return status.kind !== 'completed' && status.kind !== 'failed';
}

/** The server does not have all of it, or not all of its batch. */
export function needsDevice({ status }: Pick<Row, 'status'>): boolean {
  return status.kind === 'waiting' || status.kind === 'uploading' || status.kind === 'sent';
}

export function waitsFor(status: Row['status'], ...reasons: string[]): boolean {
  return status.kind === 'waiting' && reasons.includes(status.reason);
}

/** A file that somebody chose, dropped or opened; with a handle where the browser gives one. */
export interface PickedFile {
  file: File;
  handle: FileSystemFileHandle | null;
}

/** What can be done with the signed-in person's uploads. Loaded with the engine, by `loadUploadQueue`. */
export interface UploadQueue {
  /** Stores them, to be sent after `start`. @returns those that are refused, each with its reason */
  add(files: readonly PickedFile[]): Promise<{ filename: string; reason: string }[]>;
  /** Opens a session for what waits for the button, and sends. A failure stands in `uploads.startFailure`. */
  start(): Promise<void>;
  pause(id: string): Promise<void>;
  resume(id: string): Promise<void>;
  pauseAll(): Promise<void>;
  resumeAll(): Promise<void>;
  /** Tries a failed one again, from what the server has. */
  retry(id: string): Promise<void>;
  /** Takes a file out of the list; what the server has of it is removed there. */
  remove(id: string): Promise<void>;
  clearCompleted(): Promise<void>;
  clearAll(): Promise<void>;
  /** Goes on with a file that was chosen again. @returns why it is not the same one; null when it is */
  pickAgain(id: string, file: PickedFile): Promise<string | null>;
  /** Asks the browser for a stored file again: called from a press. @returns whether it may be read */
  askPermission(id: string): Promise<boolean>;
  /** What the batch gets, before or while it is sent. */
  setTags(tagIds: readonly string[]): Promise<void>;
  /** Makes shared files one's own, and ready to be sent. @returns those that are refused, each with its reason */
  claimShared(batchId: string): Promise<{ filename: string; reason: string }[]>;
  discardShared(batchId: string): Promise<void>;
}
