import { after, every, now } from '#app/platform/timers.ts';
import { SendingTab } from '#app/transfer/sending-tab.ts';
import type { UploadEngine } from '#app/transfer/upload-engine.ts';
import { startUpload } from '#contract/failures.ts';
import type { StoredBatch } from '#device/uploads/batch-rows.ts';
import type { Missing } from '#device/uploads/open-bytes.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { createEngine, uploadsTurn } from './create-engine.ts';
import { pickedFiles } from './picked-files.ts';
import { showRows } from './show-uploads.ts';
import type { RowsReport, TabMessage } from './tab-messages.ts';
import { TabMessages } from './tab-messages.ts';
import { toRows, totalSecondsLeft } from './to-rows.ts';
import { readLink } from './upload-link.ts';
import { uploads } from './uploads-state.ts';

/** The list is drawn, and told to the other tabs, at most so often. */
const shownEveryMs = 500;
/** A speed falls also when nothing happens. */
const tickMs = 1_000;
/** Without a report for so long the tab that sends is asked; a page in the background reports once a minute. */
const reportMaxAgeMs = 3_000;

/** The uploads of the person who is signed in: sent by this tab, or shown as another one sends them. */
export class UploadRunner {
  readonly userId: string;
  private readonly tab: SendingTab;
  private readonly messages: TabMessages;
  private engine: UploadEngine | null = null;
  private isStopped = false;
  private isLasting = true;
  private stored: StoredBatch[] = [];
  private reportedAt = 0;
  private shownAt = 0;
  private cancelShow = () => {};
  private isShowPlanned = false;
  private stopTicking = () => {};

  constructor(userId: string) {
    this.userId = userId;
    this.messages = new TabMessages((message) => void this.onMessage(message));
    this.tab = new SendingTab(
      uploadsTurn(),
      () => this.startEngine(),
      () => this.stopEngine(),
    );
  }

  async start(): Promise<void> {
    this.stopTicking = every(tickMs, () => this.tick());
    this.tab.start();
    this.messages.post({ kind: 'ask' });
    await this.readStored();
  }

  /** At once: nothing is sent any more, and nothing shown. */
  stop(): void {
    this.isStopped = true;
    this.stopTicking();
    this.cancelShow();
    this.stopEngine();
    this.tab.stop();
    this.messages.close();
  }

  /** What is stored was changed by this tab. */
  async changed(): Promise<void> {
    this.messages.post({ kind: 'changed' });
    await this.reload();
  }

  /** A file was chosen in this tab, or may be read now: whichever tab sends goes on with it. */
  goOnWith(id: string, file: File | null): void {
    this.engine?.retrySource(id);
    this.messages.post({ kind: 'source', id, file });
  }

  /** The network may be back, or its owner was let in again. */
  hurry(): void {
    this.engine?.hurry();
  }

  /** The link has changed. */
  plan(): void {
    this.engine?.plan();
    this.showSoon();
  }

  private startEngine(): void {
    if (this.isStopped) return;
    this.engine = createEngine(this.userId, {
      openSource: (upload) => this.openSource(upload),
      onChange: () => this.showSoon(),
      onRefused: (sentence) => this.onRefused(sentence),
    });
    void this.engine.reload();
  }

  /** It may have been chosen in another tab, which is still there. */
  private async openSource(upload: QueuedUpload): Promise<UploadBytes | Missing> {
    const source = await pickedFiles.open(upload);
    if (source === 'pick-again') this.messages.post({ kind: 'want', id: upload.id });
    return source;
  }

  private stopEngine(): void {
    this.engine?.stop();
    this.engine = null;
    if (!this.isStopped) void this.readStored();
  }

  private async onMessage(message: TabMessage): Promise<void> {
    if (this.isStopped) return;
    switch (message.kind) {
      case 'changed':
        return this.reload();
      case 'ask':
        return this.engine ? this.show() : undefined;
      case 'rows':
        return this.onReport(message.report);
      case 'source':
        if (message.file && this.engine) await pickedFiles.hold(message.id, message.file);
        return this.engine?.retrySource(message.id);
      case 'want':
        return this.passOn(message.id);
      default:
        uploads.startFailure = message.sentence;
    }
  }

  private passOn(id: string): void {
    const file = pickedFiles.fileOf(id);
    if (file) this.messages.post({ kind: 'source', id, file });
  }

  private onReport({ userId, rows, secondsLeft }: RowsReport): void {
    if (this.engine || userId !== this.userId) return;
    this.reportedAt = now();
    showRows(rows, secondsLeft);
  }

  private onRefused(sentence: string): void {
    const failure = startUpload(sentence);
    uploads.startFailure = failure;
    this.messages.post({ kind: 'refused', sentence: failure });
  }

  private tick(): void {
    if (this.engine?.transfers.countActive()) this.showSoon();
    if (this.engine || now() - this.reportedAt < reportMaxAgeMs) return;
    this.messages.post({ kind: 'ask' });
    void this.readStored();
  }

  private async reload(): Promise<void> {
    await this.engine?.reload();
    await this.readStored();
  }

  private async readStored(): Promise<void> {
    const [stored, shared, isLasting] = await Promise.all([
      uploadStore.list(this.userId).catch(() => this.stored),
      uploadStore.list(null).catch(() => []),
      uploadStore.isLasting(),
    ]);
    if (this.isStopped) return;
    Object.assign(this, { stored, isLasting });
    const pending = stored.find(({ batch: { state } }) => state === 'draft' || state === 'open');
    Object.assign(uploads, {
      isLoaded: true,
      isLasting,
      tagIds: pending?.batch.tagIds ?? (stored.length === 0 ? uploads.tagIds : []),
      shared: shared.map(({ batch, uploads: files }) => ({
        batchId: batch.id,
        names: files.map(({ name }) => name),
        size: files.reduce((sum, { size }) => sum + size, 0),
      })),
    });
    this.show();
  }

  /** Progress comes more often than anybody can read it. */
  private showSoon(): void {
    if (this.isShowPlanned || this.isStopped) return;
    this.isShowPlanned = true;
    this.cancelShow = after(Math.max(0, this.shownAt + shownEveryMs - now()), () => this.show());
  }

  private show(): void {
    this.cancelShow();
    this.isShowPlanned = false;
    this.shownAt = now();
    if (!this.engine && now() - this.reportedAt < reportMaxAgeMs) return;
    const batches = this.engine?.list.isRead ? this.engine.list.batches : this.stored;
    const rows = toRows(batches, { engine: this.engine, link: readLink(), isLasting: this.isLasting });
    const secondsLeft = totalSecondsLeft(rows);
    showRows(rows, secondsLeft);
    if (this.engine) this.messages.post({ kind: 'rows', report: { userId: this.userId, rows, secondsLeft } });
  }
}
