import { DefaultHttpStack } from 'tus-js-client';
import { locks } from '#app/platform/capabilities.ts';
import { reached } from '#app/platform/http/send.ts';
import { PutAttempt, TusAttempt } from '#app/transfer/attempt.ts';
import { leaseSeconds, SendingTab } from '#app/transfer/sending-tab.ts';
import type { EngineDeps } from '#app/transfer/upload-engine.ts';
import { UploadEngine } from '#app/transfer/upload-engine.ts';
import { failures } from '#contract/failures.ts';
import { facts } from '#device/device-database.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { LeaseTurn, LockTurn } from '#device/tab-turn.ts';
import { every } from '#device/timers.ts';
import type { Missing } from '#device/uploads/open-bytes.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { readLink } from '../link-choice.ts';
import { pickedFiles } from './picked-files.ts';
import { readBodyBound, UploadCalls } from './upload-calls.ts';
import type { TabMessage } from './upload-display.ts';
import { TabMessages, UploadDisplay } from './upload-display.ts';
import { uploads } from './uploads-state.ts';

/** The interval of updates: a speed falls even when no bytes are sent. */
const tickMs = 1_000;

/** The signed-in user's uploads, sent by this tab, or shown as another tab sends them. */
export class UploadRunner {
  readonly userId: string;
  private readonly tab: SendingTab;
  private readonly messages: TabMessages;
  private readonly display: UploadDisplay;
  private engine: UploadEngine | null = null;
  private isStopped = false;
  private stopTicking = () => {};

  constructor(userId: string) {
    this.userId = userId;
    this.messages = new TabMessages((message) => void this.onMessage(message));
    this.display = new UploadDisplay({
      userId,
      engine: () => this.engine,
      report: (report) => this.messages.post({ kind: 'rows', report }),
    });
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
    await this.display.read();
  }

  /** Stops sending and showing files at once. */
  stop(): void {
    this.isStopped = true;
    this.stopTicking();
    this.display.stop();
    this.stopEngine();
    this.tab.stop();
    this.messages.close();
  }

  /** Reloads the uploads after this tab has changed the stored ones. */
  async changed(): Promise<void> {
    this.messages.post({ kind: 'changed' });
    await this.reload();
  }

  /**
   * Continues with a file that was chosen in this tab, or may be read now, in whichever tab sends.
   */
  goOnWith(id: string, file: File | null): void {
    this.engine?.retrySource(id);
    this.messages.post({ kind: 'source', id, file });
  }

  /** Retries waiting files: the network may be back, or the user has signed in again. */
  hurry(): void {
    this.engine?.hurry();
  }

  /** Adapts to a changed link. */
  plan(): void {
    this.engine?.plan();
    this.display.showSoon();
  }

  private startEngine(): void {
    if (this.isStopped) return;
    this.engine = createEngine(this.userId, {
      openSource: (upload) => this.openSource(upload),
      onChange: () => this.display.showSoon(),
      onRefused: (sentence) => this.onRefused(sentence),
    });
    void this.engine.reload();
  }

  /** Opens a file's bytes. If it has to be chosen again, another open tab may still have it. */
  private async openSource(upload: QueuedUpload): Promise<UploadBytes | Missing> {
    const source = await pickedFiles.open(upload);
    if (source === 'pick-again') this.messages.post({ kind: 'want', id: upload.id });
    return source;
  }

  private stopEngine(): void {
    this.engine?.stop();
    this.engine = null;
    if (!this.isStopped) void this.display.read();
  }

  private async onMessage(message: TabMessage): Promise<void> {
    if (this.isStopped) return;
    switch (message.kind) {
      case 'changed':
        return this.reload();
      case 'ask':
        return this.engine ? this.display.show() : undefined;
      case 'rows':
        return this.display.showReport(message.report);
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

  private onRefused(sentence: string): void {
    const failure = failures.startUpload(sentence);
    uploads.startFailure = failure;
    this.messages.post({ kind: 'refused', sentence: failure });
  }

  private tick(): void {
    if (this.engine?.transfers.countActive()) this.display.showSoon();
    if (this.engine || !this.display.isReportOld()) return;
    this.messages.post({ kind: 'ask' });
    void this.display.read();
  }

  private async reload(): Promise<void> {
    await this.engine?.reload();
    await this.display.read();
  }
}

/** Creates the engine that sends one user's files over the browser's network. */
function createEngine(userId: string, deps: Pick<EngineDeps, 'openSource' | 'onChange' | 'onRefused'>): UploadEngine {
  const stack = new DefaultHttpStack({});
  return new UploadEngine({
    ...deps,
    userId,
    records: uploadStore,
    calls: new UploadCalls(userId),
    createAttempt: (protocol, plan, events) =>
      protocol === 'tus' ? new TusAttempt(plan, events, stack) : new PutAttempt(plan, events, stack),
    readLink: () => readLink('uploads'),
    maxBodyBytes: readBodyBound,
    chance: Math.random,
    // This checks at once whether the server is reachable.
    onUnanswered: () => reached.emit('silent'),
  });
}

/** Decides which tab of this browser sends. */
function uploadsTurn(): TabTurn {
  const manager = locks();
  return manager ? new LockTurn(manager, 'fourfold.uploads') : new LeaseTurn(facts, 'uploads-lease', leaseSeconds);
}
