import type { HttpStack, UploadOptions } from 'tus-js-client';
import { DetailedError, Upload } from 'tus-js-client';
import { now } from '../platform/timers.ts';
import { readAnswer } from './answer-end.ts';
import type { Attempt, AttemptEnd, AttemptEvents, AttemptPlan } from './attempt.ts';
import { firstPartBytes, nextPartBytes } from './part-size.ts';

/**
 * By tus 1.0: asks for the server's offset, and goes on there in parts, each of which the server confirms. Whoever runs
 * it decides about further tries.
 */
export class TusAttempt implements Attempt {
  private readonly plan: AttemptPlan;
  private readonly events: AttemptEvents;
  private readonly upload: Upload;
  private end: (end: AttemptEnd) => void = () => {};
  private isUnreadable = false;
  private isOver = false;
  /** Epoch milliseconds; 0: none yet. */
  private partStartedAt = 0;

  constructor(plan: AttemptPlan, events: AttemptEvents, httpStack: HttpStack) {
    this.plan = plan;
    this.events = events;
    // It only passes the file on to `openFile` below.
    this.upload = new Upload(plan.source as unknown as Blob, this.optionsWith(httpStack));
  }

  run(): Promise<AttemptEnd> {
    return new Promise((resolve) => {
      this.end = (end) => {
        this.isOver = true;
        resolve(end);
      };
      this.upload.start();
    });
  }

  abort(): void {
    if (this.isOver) return;
    void this.upload.abort(false);
    this.end({ kind: 'aborted' });
  }

  private optionsWith(httpStack: HttpStack): UploadOptions {
    const { address, key, source, maxPartBytes } = this.plan;
    return {
      uploadUrl: address,
      uploadSize: source.size,
      headers: { AccessKey: key },
      chunkSize: Math.min(firstPartBytes, maxPartBytes),
      retryDelays: null,
      storeFingerprintForResuming: false,
      fingerprint: async () => '',
      fileReader: {
        openFile: async () => ({
          size: source.size,
          slice: (start, end) => this.readPart(start, end),
          close: () => {},
        }),
      },
      httpStack,
      onProgress: (sent) => this.events.onSent(sent),
      onChunkComplete: (bytes, accepted) => this.onPartConfirmed(bytes, accepted),
      onSuccess: () => this.end({ kind: 'sent' }),
      onError: (error) => this.end(this.endOf(error)),
    };
  }

  /** The first one begins at what the server has had before. */
  private async readPart(start: number, end: number): Promise<{ value: Blob; done: boolean }> {
    if (this.partStartedAt === 0) this.events.onAcknowledged(start);
    const value = await this.plan.source.slice(start, end).catch((error: unknown) => {
      this.isUnreadable = true;
      throw error;
    });
    // Some engines hand out an empty body for a file that is gone.
    if (value.size !== end - start) {
      this.isUnreadable = true;
      throw new Error('The file has become shorter');
    }
    this.partStartedAt = now();
    return { value, done: end >= this.plan.source.size };
  }

  private onPartConfirmed(bytes: number, accepted: number): void {
    const { options } = this.upload;
    options.chunkSize = nextPartBytes(bytes, now() - this.partStartedAt, this.plan.maxPartBytes);
    if (bytes > 0) this.events.onAcknowledged(accepted);
    else this.endWithoutProgress();
  }

  /** The server has confirmed the offset that it had: the same part would be sent for ever. */
  private endWithoutProgress(): void {
    void this.upload.abort(false);
    this.end({ kind: 'unreadable' });
  }

  private endOf(error: Error): AttemptEnd {
    if (this.isUnreadable) return { kind: 'unreadable' };
    const response = error instanceof DetailedError ? error.originalResponse : null;
    return response ? readAnswer(response) : { kind: 'unanswered' };
  }
}
