import { noDestination, uploadForgotten } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { after, now } from '../platform/timers.ts';
import { AttemptResults } from './attempt-results.ts';
import type { SessionCalls } from './batch-sessions.ts';
import { BatchSessions } from './batch-sessions.ts';
import type { TransferDeps } from './file-transfer.ts';
import { FileTransfers } from './file-transfer.ts';
import type { UploadRecords } from './upload-list.ts';
import { isUnsent, UploadList } from './upload-list.ts';

export interface EngineDeps extends Omit<TransferDeps, 'onProgress'> {
  userId: string;
  records: UploadRecords;
  calls: SessionCalls;
  /** `isAllowed`: false on another network than Wi-Fi, where only that is wanted. */
  readLink(): { isOnline: boolean; isThin: boolean; isAllowed: boolean };
  /** Bytes of the largest body that gets through to the server; null: any. */
  maxBodyBytes(): number | null;
  onChange(): void;
  /** A request got no answer. */
  onUnanswered(): void;
  /** The server opens no session. */
  onRefused(sentence: string): void;
}

interface Candidate {
  batch: UploadBatch;
  upload: QueuedUpload;
}

/**
 * Sends one person's files: a few at a time, those with the fewest bytes left first, until all of a batch has been sent,
 * has failed, or waits for the person. What it knows is stored, so that a later page goes on.
 */
export class UploadEngine {
  readonly list: UploadList;
  readonly sessions: BatchSessions;
  readonly transfers: FileTransfers;
  private readonly results: AttemptResults;
  private readonly deps: EngineDeps;
  /** Files of which the server was told since they were sent last. */
  private readonly told = new Set<string>();
  private isStopped = false;
  private cancelTimer = () => {};

  constructor(deps: EngineDeps) {
    this.deps = deps;
    this.list = new UploadList(deps.records, deps.userId);
    this.transfers = new FileTransfers({
      openSource: deps.openSource,
      createAttempt: deps.createAttempt,
      chance: deps.chance,
      onProgress: (id, bytes, isNew) => {
        this.list.noteProgress(id, bytes, isNew);
        deps.onChange();
      },
    });
    this.sessions = new BatchSessions({
      list: this.list,
      calls: deps.calls,
      chance: deps.chance,
      onChange: () => this.plan(),
      onRefused: deps.onRefused,
      onForgotten: (uploads) => {
        for (const upload of uploads) this.transfers.of(upload).note = uploadForgotten;
      },
    });
    const { list, sessions, transfers } = this;
    this.results = new AttemptResults({ list, sessions, transfers, onUnanswered: deps.onUnanswered });
  }

  /** What is stored has changed: also to begin with. */
  async reload(): Promise<void> {
    await this.list.read();
    const isWanted = (id: string) => {
      const found = this.list.find(id);
      return found?.batch.state === 'open' && !found.upload.isPaused && !isRemoved(found.upload);
    };
    this.transfers.keepOnly(isWanted, (id) => this.list.find(id) !== null);
    for (const { uploads } of this.list.batches)
      for (const upload of uploads) this.transfers.get(upload.id)?.noteSource(upload);
    this.plan();
  }

  /** The network is said to be back, or somebody has signed in again: what waits for that goes on. */
  hurry(): void {
    this.sessions.hurry();
    this.transfers.hurry();
    this.plan();
  }

  /** Its file was chosen again, or may be read now. */
  retrySource(id: string): void {
    const transfer = this.transfers.get(id);
    if (transfer?.wait === 'pick-again' || transfer?.wait === 'permission') transfer.wait = null;
    this.plan();
  }

  /** Nothing is sent any more, at once. */
  stop(): void {
    this.isStopped = true;
    this.cancelTimer();
    this.sessions.stop();
    this.transfers.abortAll();
  }

  /** Sends what can be sent now, and plans the next time. */
  plan(): void {
    if (this.isStopped) return;
    const { isOnline, isThin, isAllowed } = this.deps.readLink();
    if (!isOnline || !isAllowed) this.transfers.abortAll();
    const open = isOnline ? this.list.batches.filter((stored) => this.sessions.advance(stored)) : [];
    for (const stored of open) if (this.isOver(stored)) void this.complete(stored);
    const active = this.transfers.countActive();
    const count = isAllowed ? (isThin ? limits.uploadsAtOnceThinLink : limits.uploadsAtOnce) - active : 0;
    for (const candidate of chooseNext(this.candidatesOf(open), count)) void this.send(candidate);
    this.planTimer();
    this.deps.onChange();
  }

  private candidatesOf(batches: readonly StoredBatch[]): Candidate[] {
    const all: Candidate[] = [];
    for (const { batch, uploads } of batches)
      for (const upload of uploads) if (batch.state === 'open' && this.isReady(upload)) all.push({ batch, upload });
    return all;
  }

  private isReady(upload: QueuedUpload): boolean {
    if (!isUnsent(upload) || upload.isPaused || upload.nextAttemptAt > now()) return false;
    const { isActive, wait, backoff } = this.transfers.of(upload);
    return !isActive && wait !== 'pick-again' && wait !== 'permission' && !backoff.isWaiting();
  }

  /** Nothing of it goes on by itself, and the server is still to be told of a file that it has whole, or that failed. */
  private isOver({ uploads }: StoredBatch): boolean {
    const goesOn = (upload: QueuedUpload) => {
      const { wait, isActive } = this.transfers.of(upload);
      return isActive || (isUnsent(upload) && !upload.isPaused && wait !== 'pick-again' && wait !== 'permission');
    };
    const isNews = ({ id, state, destination }: QueuedUpload) =>
      state === 'sent' || (state === 'failed' && destination !== null && !this.told.has(id));
    return uploads.some(isNews) && !uploads.some(goesOn);
  }

  private async complete({ batch, uploads }: StoredBatch): Promise<void> {
    for (const { id } of uploads) this.told.add(id);
    await this.list.changeBatch(batch.id, { state: 'completing' });
    this.plan();
  }

  private async send({ batch, upload }: Candidate): Promise<void> {
    if (!upload.destination) {
      await this.results.fail(upload.id, noDestination(upload.name));
      return this.plan();
    }
    this.told.delete(upload.id);
    const transfer = this.transfers.of(upload);
    const key = batch.key as string;
    const running = transfer.run(upload, key, this.deps.maxBodyBytes());
    void this.list.changeUpload(upload.id, { state: 'uploading' });
    const end = await running;
    if (this.isStopped) return;
    // It may have been taken out meanwhile, or have come to an end with its session.
    const found = this.list.find(upload.id);
    if (found && isUnsent(found.upload)) await this.results.apply(upload, transfer, end, key);
    this.plan();
  }

  private planTimer(): void {
    this.cancelTimer();
    const time = now();
    const waits = [...this.sessions.waits(), ...this.transfers.waits()];
    for (const { uploads } of this.list.batches) waits.push(...uploads.map(({ nextAttemptAt }) => nextAttemptAt));
    const next = Math.min(...waits.filter((at) => at > time));
    if (Number.isFinite(next)) this.cancelTimer = after(next - time, () => this.plan());
  }
}

/** Which files are sent next: those with the fewest bytes left; of two alike the one that was added first. */
function chooseNext<Candidate extends { upload: QueuedUpload }>(
  candidates: readonly Candidate[],
  count: number,
): Candidate[] {
  const byBytesLeft = (one: Candidate, other: Candidate) =>
    bytesLeft(one.upload) - bytesLeft(other.upload) || one.upload.createdAt - other.upload.createdAt;
  return [...candidates].sort(byBytesLeft).slice(0, Math.max(0, count));
}

function bytesLeft({ size, acknowledgedBytes }: QueuedUpload): number {
  return size - acknowledgedBytes;
}
