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
