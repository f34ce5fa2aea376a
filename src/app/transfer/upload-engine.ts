import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { atNext, msUntil } from '#device/timers.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { AttemptResults } from './attempt-results.ts';
import type { SessionCalls } from './batch-sessions.ts';
import { BatchSessions } from './batch-sessions.ts';
import type { TransferDeps } from './file-transfer.ts';
import { FileTransfers } from './file-transfer.ts';
import type { UploadRecords } from './upload-list.ts';
import { isUnsentUpload, UploadList } from './upload-list.ts';

export interface EngineDeps extends Omit<TransferDeps, 'onProgress'> {
  userId: string;
  records: UploadRecords;
  calls: SessionCalls;
  /** `isAllowed`: false on a metered link when only Wi-Fi is allowed. */
  readLink(): { isOnline: boolean; isThin: boolean; isAllowed: boolean };
  /** The bytes of the largest body that proxies pass to the server; null: no limit. */
  maxBodyBytes(): number | null;
  onChange(): void;
  /** Called when a request got no answer. */
  onUnanswered(): void;
  /** Called when the server refuses a session. */
  onRefused(sentence: string): void;
}

interface Candidate {
  batch: UploadBatch;
  upload: QueuedUpload;
}

/**
 * Sends one user's files: a few at a time, those with the fewest bytes left first, until all files
 * of a batch are sent, have failed, or wait for the user. Its state is stored, so that a later page
 * can resume.
 */
export class UploadEngine {
  readonly list: UploadList;
  readonly sessions: BatchSessions;
  readonly transfers: FileTransfers;
  private readonly results: AttemptResults;
  private readonly deps: EngineDeps;
  /** Files that were reported to the server since they were last sent. */
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
        for (const upload of uploads) this.transfers.of(upload).note = failures.uploadForgotten;
      },
    });
    const { list, sessions, transfers } = this;
    this.results = new AttemptResults({ list, sessions, transfers, onUnanswered: deps.onUnanswered });
  }

  /** Reads the stored uploads, at the start and after each change of them. */
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

  /** Retries what waits for the network or a sign-in, as either may be back. */
  hurry(): void {
    this.sessions.hurry();
    this.transfers.hurry();
    this.plan();
  }

  /** Retries a file that was chosen again, or may be read now. */
  retrySource(id: string): void {
    const transfer = this.transfers.get(id);
    if (transfer?.wait === 'pick-again' || transfer?.wait === 'permission') transfer.wait = null;
    this.plan();
  }

  /** Stops sending at once. */
  stop(): void {
    this.isStopped = true;
    this.cancelTimer();
    this.sessions.stop();
    this.transfers.abortAll();
  }

  /** Sends the files that can be sent now, and schedules the next run. */
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
    if (!isUnsentUpload(upload) || upload.isPaused || msUntil(upload.nextAttemptAt) > 0) return false;
    const { isActive, wait, backoff } = this.transfers.of(upload);
    return !isActive && wait !== 'pick-again' && wait !== 'permission' && !backoff.isWaiting();
  }

  /**
   * Whether a batch can be completed: no file continues without the user, and the server does not
   * know yet of one that is sent or has failed.
   */
  private isOver({ uploads }: StoredBatch): boolean {
    const goesOn = (upload: QueuedUpload) => {
      const { wait, isActive } = this.transfers.of(upload);
      return isActive || (isUnsentUpload(upload) && !upload.isPaused && wait !== 'pick-again' && wait !== 'permission');
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
      await this.results.fail(upload.id, failures.noDestination(upload.name));
      return this.plan();
    }
    this.told.delete(upload.id);
    const transfer = this.transfers.of(upload);
    const key = batch.key as string;
    const running = transfer.run(upload, key, this.deps.maxBodyBytes());
    void this.list.changeUpload(upload.id, { state: 'uploading' });
    const end = await running;
    if (this.isStopped) return;
    // The file may have been removed meanwhile, or have ended with its session.
    const found = this.list.find(upload.id);
    if (found && isUnsentUpload(found.upload)) await this.results.apply(upload, transfer, end, key);
    this.plan();
  }

  private planTimer(): void {
    this.cancelTimer();
    const waits = [...this.sessions.waits(), ...this.transfers.waits()];
    for (const { uploads } of this.list.batches) waits.push(...uploads.map(({ nextAttemptAt }) => nextAttemptAt));
    this.cancelTimer = atNext(waits, () => this.plan());
  }
}

/**
 * Chooses the files to send next: those with the fewest bytes left; of equal ones, the one that was
 * added first.
 */
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
