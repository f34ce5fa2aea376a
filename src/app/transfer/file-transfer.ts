import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { after, now } from '#device/timers.ts';
import type { Missing } from '#device/uploads/open-bytes.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import type { Attempt, AttemptEnd, AttemptEvents, AttemptPlan } from './attempt.ts';
import { maxPartBytes } from './attempt.ts';
import { Backoff } from './backoff.ts';

/** The page's transfers, by the ids of their files. */
export class FileTransfers {
  private readonly transfers = new Map<string, FileTransfer>();
  private readonly deps: TransferDeps;

  constructor(deps: TransferDeps) {
    this.deps = deps;
  }

  of(upload: QueuedUpload): FileTransfer {
    const known = this.transfers.get(upload.id);
    if (known) return known;
    const transfer = new FileTransfer(this.deps);
    if (upload.state === 'uploading' && upload.destination?.protocol === 'put')
      transfer.note = failures.uploadBeginsAnew;
    this.transfers.set(upload.id, transfer);
    return transfer;
  }

  get(id: string): FileTransfer | undefined {
    return this.transfers.get(id);
  }

  forget(id: string): void {
    this.transfers.delete(id);
  }

  /** Aborts the attempts of all other files, and forgets files that were removed. */
  keepOnly(isWanted: (id: string) => boolean, isThere: (id: string) => boolean): void {
    for (const [id, transfer] of this.transfers) {
      if (!isWanted(id)) transfer.abort();
      if (!isThere(id)) this.transfers.delete(id);
    }
  }

  /** Retries the files that wait for the network. */
  hurry(): void {
    for (const transfer of this.transfers.values()) if (transfer.wait === 'network') transfer.backoff.hurry();
  }

  abortAll(): void {
    for (const transfer of this.transfers.values()) transfer.abort();
  }

  countActive(): number {
    return [...this.transfers.values()].filter(({ isActive }) => isActive).length;
  }

  /** The ends of all waits in epoch milliseconds. */
  waits(): number[] {
    return [...this.transfers.values()].map(({ backoff }) => backoff.waitUntil);
  }
}

export interface TransferDeps {
  openSource(upload: QueuedUpload): Promise<UploadBytes | Missing>;
  createAttempt(protocol: 'tus' | 'put', plan: AttemptPlan, events: AttemptEvents): Attempt;
  chance(): number;
  /**
   * `bytes`: the number that the server has confirmed; `isNew`: it is higher than before this
   * attempt.
   */
  onProgress(id: string, bytes: number, isNew: boolean): void;
}

export type TransferEnd = Exclude<AttemptEnd, { kind: 'unreadable' }> | { kind: 'needs'; need: Missing };

/**
 * The transfer of one file by this page: one attempt after another, when the engine starts them.
 */
export class FileTransfer {
  readonly rate = new TransferRate();
  readonly backoff: Backoff;
  /** The reason why it is not sent although it is its turn. */
  wait: 'network' | 'retry' | Missing | null = null;
  /** The kind of source whose bytes were missing. */
  private missedAt: QueuedUpload['source']['kind'] | null = null;
  /** A sentence that says why it is sent from the beginning. */
  note: string | null = null;
  /** True when its session has received a new key since the last progress. */
  hasNewKey = false;
  /** Percent at which it was resumed, until the server has confirmed more. */
  resumedAt: number | null = null;
  isActive = false;
  /** Bytes that have left this device. */
  sent = 0;
  maxPartBytes = maxPartBytes;
  private readonly deps: TransferDeps;
  private attempt: Attempt | null = null;
  private offset: number | null = null;
  private isAborted = false;
  private isStalled = false;
  private cancelStall = () => {};

  constructor(deps: TransferDeps) {
    this.deps = deps;
    this.backoff = new Backoff(deps.chance);
  }

  /** Runs one attempt. @param partBytes the largest body that a proxy accepts; null: no limit */
  async run(upload: QueuedUpload, key: string, partBytes: number | null): Promise<TransferEnd> {
    this.isActive = true;
    this.isAborted = false;
    this.isStalled = false;
    this.offset = null;
    this.wait = null;
    try {
      const end = await this.send(upload, key, Math.min(this.maxPartBytes, partBytes ?? this.maxPartBytes));
      this.missedAt = end.kind === 'needs' ? upload.source.kind : null;
      return end;
    } finally {
      this.cancelStall();
      this.isActive = false;
      this.attempt = null;
    }
  }

  /** Ends the wait for the user when the source has changed: its copy may be complete by now. */
  noteSource({ source }: QueuedUpload): void {
    if (this.wait === 'pick-again' && this.missedAt !== source.kind) this.wait = null;
  }

  abort(): void {
    this.isAborted = true;
    this.attempt?.abort();
  }

  private async send(upload: QueuedUpload, key: string, maxPart: number): Promise<TransferEnd> {
    const source = await this.deps.openSource(upload).catch((): Missing => 'pick-again');
    if (this.isAborted || !upload.destination) return { kind: 'aborted' };
    if (typeof source === 'string') return { kind: 'needs', need: source };
    const { address, protocol } = upload.destination;
    const events: AttemptEvents = {
      onSent: (bytes) => this.onSent(bytes),
      onAcknowledged: (bytes) => this.onAcknowledged(upload, bytes),
    };
    const plan = { source, address, key, type: upload.type, maxPartBytes: maxPart };
    this.attempt = this.deps.createAttempt(protocol, plan, events);
    this.watchStall();
    const end = await this.attempt.run();
    if (this.isStalled) return { kind: 'unanswered' };
    return end.kind === 'unreadable' ? { kind: 'needs', need: 'pick-again' } : end;
  }

  private onSent(bytes: number): void {
    if (bytes <= this.sent) return;
    this.rate.add(bytes - this.sent, now());
    this.sent = bytes;
    this.watchStall();
  }

  /** Handles a confirmed position. The first one of an attempt is the server's offset. */
  private onAcknowledged({ id, size }: QueuedUpload, bytes: number): void {
    if (this.offset === null) {
      this.offset = bytes;
      this.sent = bytes;
      this.resumedAt = bytes > 0 ? Math.floor((bytes / size) * 100) : null;
    } else if (bytes > this.offset) {
      this.resumedAt = null;
      this.hasNewKey = false;
      this.backoff.reset();
    }
    this.watchStall();
    this.deps.onProgress(id, bytes, bytes > this.offset);
  }

  /** Aborts the attempt after `uploadStallSeconds` without progress: the connection may be dead. */
  private watchStall(): void {
    this.cancelStall();
    this.cancelStall = after(limits.uploadStallSeconds * 1000, () => {
      this.isStalled = true;
      this.attempt?.abort();
    });
  }
}

const windowMs = 10_000;
/** The shortest interval of samples, as engines send progress events at any rate. */
const sampleMs = 250;
/**
 * The shortest time over which a speed is measured: before, it depends on buffers rather than on
 * the link.
 */
const minWindowMs = 1_000;

/** The mean speed of the last ten seconds. */
export class TransferRate {
  private samples: { at: number; bytes: number }[] = [];
  private total = 0;

  /** @param bytes sent since the last call, at `at` in epoch milliseconds */
  add(bytes: number, at: number): void {
    this.total += bytes;
    // A clock that was set back begins another measurement.
    this.samples = this.samples.filter((sample) => sample.at <= at);
    const last = this.samples[this.samples.length - 1];
    if (last && at - last.at < sampleMs && this.samples.length > 1) last.bytes = this.total;
    else this.samples.push({ at, bytes: this.total });
    this.forgetBefore(at - windowMs);
  }

  /** Null while unknown. */
  perSecond(at: number): number | null {
    this.forgetBefore(at - windowMs);
    const [first] = this.samples;
    if (!first || at - first.at < minWindowMs) return null;
    return ((this.total - first.bytes) / (at - first.at)) * 1000;
  }

  /** Drops samples before the window; the last one of them becomes its beginning. */
  private forgetBefore(start: number): void {
    while (this.samples.length > 1 && (this.samples[1]?.at ?? start) <= start) this.samples.shift();
    const [first] = this.samples;
    if (first && first.at < start) first.at = start;
  }
}

/** Null while unknown. */
export function secondsLeft(bytes: number, perSecond: number | null): number | null {
  if (perSecond === null || perSecond < 1) return null;
  return Math.ceil(bytes / perSecond);
}
