import type { UploadProgress, UploadSession } from '#contract/entities/upload.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';

export type CallEnd<Reply> =
  | { kind: 'done'; reply: Reply }
  | { kind: 'refused'; status: number; sentence: string }
  /** The server could not do it now, or nobody answered. `askedMs`: the wait that it asks for. */
  | { kind: 'later'; askedMs: number | null; isAnswered: boolean }
  | { kind: 'not-signed-in' };

/** What became of a batch that the server was to be told of. */
export type FinishEnd = 'done' | 'later' | 'not-signed-in';

/** The calls about sessions, as the person whose files they are. None of them opens a dialog. */
export interface SessionCalls {
  /** Twice with the same files is once. */
  open(batch: UploadBatch, uploads: readonly QueuedUpload[]): Promise<CallEnd<UploadSession>>;
  renewKey(sessionId: string): Promise<CallEnd<string>>;
  readProgress(sessionId: string): Promise<CallEnd<UploadProgress>>;
  /** Completes or cancels it, as its state says, and stores what came of its files. */
  finish(batchId: string): Promise<FinishEnd>;
}
