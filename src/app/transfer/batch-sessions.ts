import type { UploadProgress, UploadSession } from '#contract/entities/upload.ts';
import { failures } from '#contract/failures.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { Backoff } from './backoff.ts';
import type { UploadList } from './upload-list.ts';
import { isUnsentUpload } from './upload-list.ts';

interface SessionsDeps {
  list: UploadList;
  calls: SessionCalls;
  chance(): number;
  /** Called when something has changed, or a wait has begun. */
  onChange(): void;
  /**
   * Called when the server refuses a session, so that the batch waits for the user, or gives no
   * destination for a file.
   */
  onRefused(sentence: string): void;
  /** Called when the session has expired: its files are sent from the beginning. */
  onForgotten(uploads: readonly QueuedUpload[]): void;
}

interface BatchWork {
  isRunning: boolean;
  backoff: Backoff;
  isAway: boolean;
}

/**
 * The sessions of batches: opens them, renews their keys, completes and cancels them, one call at a
 * time for each.
 */
export class BatchSessions {
  /** True after a call found nobody signed in. */
  isSignedOut = false;
  private readonly deps: SessionsDeps;
  private readonly works = new Map<string, BatchWork>();
  private isStopped = false;

  constructor(deps: SessionsDeps) {
    this.deps = deps;
  }

  /** Starts the next call that a batch needs. @returns whether its files can be sent meanwhile */
  advance({ batch, uploads }: StoredBatch): boolean {
    const { id, state, sessionId, key } = batch;
    const isTold = !uploads.some(isRemoved);
    if (state === 'draft' || (state === 'over' && isTold)) return false;
    if (state === 'over' || (sessionId === null && !isTold)) this.start(id, () => this.finish(id));
    else if (sessionId !== null && key === null) this.start(id, () => this.renewKey(id, sessionId));
    else if (state !== 'open') this.start(id, () => this.finish(id));
    else if (sessionId !== null) {
      if (!isTold) this.start(id, () => this.finish(id));
      return uploads.length > 0;
    } else if (uploads.some(isUnsentUpload)) this.start(id, () => this.open(id));
    return false;
  }

  /** @returns the reason why its files wait; null while a call is in progress or none is needed */
  waitOf(batchId: string): 'network' | 'retry' | 'sign-in' | null {
    const work = this.works.get(batchId);
    if (!work?.backoff.isWaiting()) return this.isSignedOut ? 'sign-in' : null;
    return work.isAway ? 'network' : 'retry';
  }

  /** The ends of all waits in epoch milliseconds. */
  waits(): number[] {
    return [...this.works.values()].map(({ backoff }) => backoff.waitUntil);
  }

  hurry(): void {
    this.isSignedOut = false;
    for (const { backoff } of this.works.values()) backoff.hurry();
  }

  stop(): void {
    this.isStopped = true;
  }

  /**
   * Reads the session's progress to find out why a destination, or the session itself, does not
   * exist any more.
   * @param upload the file of that destination. @returns whether the reason was found
   */
  async checkGone({ batch, uploads }: StoredBatch, upload: QueuedUpload | null): Promise<boolean> {
    const { list, calls } = this.deps;
    const end = await calls.readProgress(batch.sessionId as string);
    const isUnknown = end.kind === 'refused' && (end.status === 404 || end.status === 410);
    if (this.isStopped || (end.kind !== 'done' && !isUnknown)) return false;
    const status = end.kind === 'done' ? end.reply.status : 'expired';
    if (status === 'expired') await this.forget({ batch, uploads });
    else if (status === 'completed' && end.kind === 'done') await this.record({ batch, uploads }, end.reply);
    else if (upload === null) return false;
    else {
      const message = reasonOf(end, upload);
      await list.changeUpload(upload.id, { state: 'failed', message, destination: null, acknowledgedBytes: 0 });
    }
    return true;
  }

  private start(batchId: string, run: () => Promise<CallEnd<unknown>>): void {
    const work = this.works.get(batchId) ?? { isRunning: false, backoff: new Backoff(this.deps.chance), isAway: false };
    this.works.set(batchId, work);
    if (work.isRunning || this.isSignedOut || work.backoff.isWaiting()) return;
    work.isRunning = true;
    void run()
      .catch((): CallEnd<never> => ({ kind: 'later', askedMs: null, isAnswered: true }))
      .then((end) => {
        work.isRunning = false;
        if (this.isStopped) return;
        if (end.kind === 'later') work.backoff.fail(end.askedMs);
        else work.backoff.reset();
        work.isAway = end.kind === 'later' && !end.isAnswered;
        if (end.kind === 'not-signed-in') this.isSignedOut = true;
        this.deps.onChange();
      });
  }

  private async open(batchId: string): Promise<CallEnd<unknown>> {
    const { list, calls } = this.deps;
    const stored = list.batches.find(({ batch }) => batch.id === batchId);
    if (!stored) return { kind: 'done', reply: null };
    const uploads = stored.uploads.filter(isUnsentUpload);
    const end = await calls.open(stored.batch, uploads);
    if (this.isStopped) return end;
    // It may have been cleared meanwhile.
    if (end.kind === 'refused' && list.batches.some(({ batch }) => batch.id === batchId && batch.state === 'open')) {
      await list.changeBatch(batchId, { state: 'draft' });
      this.deps.onRefused(end.sentence);
    }
    if (end.kind !== 'done') return end;
    const { session_id: sessionId, bunny_access_key: key, files } = end.reply;
    const changes = uploads.map(({ id, name }, at) => {
      const file = files[at];
      const destination = file ? { fileId: file.id, address: file.address, protocol: file.protocol } : null;
      const failure = destination ? {} : ({ state: 'failed', message: failures.noDestination(name) } as const);
      return [id, { destination, acknowledgedBytes: 0, ...failure }] as const;
    });
    const missing = uploads[files.length];
    if (missing) this.deps.onRefused(failures.noDestination(missing.name));
    // A page that ends between two transactions would open a second session.
    await list.changeBatch(batchId, { sessionId, key }, new Map(changes));
    return end;
  }

  private async renewKey(batchId: string, sessionId: string): Promise<CallEnd<unknown>> {
    const { list, calls } = this.deps;
    const end = await calls.renewKey(sessionId);
    if (this.isStopped) return end;
    if (end.kind === 'done') await list.changeBatch(batchId, { key: end.reply });
    const stored = list.batches.find(({ batch }) => batch.id === batchId);
    if (end.kind !== 'refused' || !stored) return end;
    if (end.status === 403 && stored.batch.state !== 'cancelling') {
      await this.forbid(stored, end.sentence);
      return end;
    }
    if (stored.batch.state === 'cancelling') {
      await list.removeBatch(batchId);
      return end;
    }
    return (await this.checkGone(stored, null)) ? end : { kind: 'later', askedMs: null, isAnswered: false };
  }

  private async finish(batchId: string): Promise<CallEnd<unknown>> {
    const end = await this.deps.calls.finish(batchId);
    if (this.isStopped) return { kind: 'done', reply: null };
    await this.deps.list.read();
    if (end === 'done') return { kind: 'done', reply: null };
    return end === 'later' ? { kind: 'later', askedMs: null, isAnswered: false } : { kind: 'not-signed-in' };
  }

  /** Stores the result of a completed session whose answer was lost. */
  private async record({ batch, uploads }: StoredBatch, { files }: UploadProgress): Promise<void> {
    for (const { id, destination, size } of uploads) {
      const file = files.find((one) => one.id === destination?.fileId);
      if (file?.status === 'completed')
        await this.deps.list.changeUpload(id, { state: 'completed', acknowledgedBytes: size });
      else await this.deps.list.changeUpload(id, { state: 'failed', message: file?.error ?? null });
    }
    await this.deps.list.changeBatch(batch.id, { state: 'over', key: null });
  }

  /**
   * Marks the files as failed: their owner may not upload any more. Another attempt requests a new
   * session.
   */
  private async forbid({ batch, uploads }: StoredBatch, message: string): Promise<void> {
    for (const { id, state } of uploads)
      if (state !== 'completed')
        await this.deps.list.changeUpload(id, { state: 'failed', message, destination: null, acknowledgedBytes: 0 });
    await this.deps.list.changeBatch(batch.id, { state: 'over', sessionId: null, key: null });
  }

  /**
   * Sends all files that have not become videos to another session. Failed ones lose their address:
   * another attempt needs a session as well.
   */
  private async forget({ batch, uploads }: StoredBatch): Promise<void> {
    const rest = uploads.filter(({ state }) => state !== 'completed' && state !== 'failed' && state !== 'removed');
    for (const { id } of rest) await this.deps.list.changeUpload(id, { state: 'pending', acknowledgedBytes: 0 });
    for (const { id, state } of uploads)
      if (state === 'failed') await this.deps.list.changeUpload(id, { destination: null, acknowledgedBytes: 0 });
    await this.deps.list.changeBatch(batch.id, { state: 'open', sessionId: null, key: null });
    this.deps.onForgotten(rest);
  }
}

/** The reason why a file's upload has ended while its session is open. */
function reasonOf(end: Awaited<ReturnType<SessionCalls['readProgress']>>, upload: QueuedUpload): string {
  const files = end.kind === 'done' ? end.reply.files : [];
  const own = files.find(({ id }) => id === upload.destination?.fileId);
  return own?.error ?? failures.noDestination(upload.name);
}

export type CallEnd<Reply> =
  | { kind: 'done'; reply: Reply }
  | { kind: 'refused'; status: number; sentence: string }
  /**
   * The server could not handle it now, or nobody answered. `askedMs`: the wait that the server
   * asks for.
   */
  | { kind: 'later'; askedMs: number | null; isAnswered: boolean }
  | { kind: 'not-signed-in' };

/** The result of reporting a batch's end to the server. */
export type FinishEnd = 'done' | 'later' | 'not-signed-in';

/** The calls about sessions, made as the owner of the files. None of them opens a dialog. */
export interface SessionCalls {
  /** Opens a session; a repeated call with the same files opens no second one. */
  open(batch: UploadBatch, uploads: readonly QueuedUpload[]): Promise<CallEnd<UploadSession>>;
  renewKey(sessionId: string): Promise<CallEnd<string>>;
  readProgress(sessionId: string): Promise<CallEnd<UploadProgress>>;
  /**
   * Completes or cancels the batch, depending on its state, and stores the results of its files.
   */
  finish(batchId: string): Promise<FinishEnd>;
}
