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
