import type { HttpRequest, HttpResponse, HttpStack, UploadOptions } from 'tus-js-client';
import { DetailedError, Upload } from 'tus-js-client';
import { now, readRetryAfter } from '#device/timers.ts';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';

export interface AttemptPlan {
  source: UploadBytes;
  address: string;
  /** The session key, sent as `AccessKey`. */
  key: string;
  /** Media type; empty for none. */
  type: string;
  /** The largest body of one request, if the protocol allows parts. */
  maxPartBytes: number;
}

/** Positions in the file. */
export interface AttemptEvents {
  /** Called with the position up to which bytes have left this device. */
  onSent(bytes: number): void;
  /** Called with the position up to which the server has confirmed them. */
  onAcknowledged(bytes: number): void;
}

export type AttemptEnd =
  | { kind: 'sent' }
  /**
   * The server refused the attempt, or could not complete it. `retryAfterMs`: the wait that it asks
   * for.
   */
  | { kind: 'answered'; status: number; statusText: string; retryAfterMs: number | null }
  /** The server did not answer: the network failed, or a captive portal answered in its place. */
  | { kind: 'unanswered' }
  /** This device cannot read the file any more. */
  | { kind: 'unreadable' }
  | { kind: 'aborted' };

/** One attempt to send a file, from the bytes that the server has. */
export interface Attempt {
  run(): Promise<AttemptEnd>;
  abort(): void;
}

/**
 * Sends a file by tus 1.0: asks for the server's offset, and continues there in parts, each of
 * which the server confirms. The caller decides about further attempts.
 */
export class TusAttempt implements Attempt {
  private readonly plan: AttemptPlan;
  private readonly events: AttemptEvents;
  private readonly upload: Upload;
  private end: (end: AttemptEnd) => void = () => {};
  private isUnreadable = false;
  private isOver = false;
  /** Epoch milliseconds; 0 before the first part. */
  private partStartedAt = 0;

  constructor(plan: AttemptPlan, events: AttemptEvents, httpStack: HttpStack) {
    this.plan = plan;
    this.events = events;
    // The library only passes the source on to `openFile` below.
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

  /** Reads a part. The first one begins at the server's offset, which is thereby confirmed. */
  private async readPart(start: number, end: number): Promise<{ value: Blob; done: boolean }> {
    if (this.partStartedAt === 0) this.events.onAcknowledged(start);
    const value = await this.plan.source.slice(start, end).catch((error: unknown) => {
      this.isUnreadable = true;
      throw error;
    });
    // Some engines give an empty body for a file that was deleted.
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

  /**
   * Ends the attempt when the server confirms its old offset: the same part would be sent forever.
   */
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

/** Sends a file in a single `PUT`, for destinations without tus: each attempt begins at 0. */
export class PutAttempt implements Attempt {
  private readonly plan: AttemptPlan;
  private readonly events: AttemptEvents;
  private readonly request: HttpRequest;
  private abortRun = () => {};

  constructor(plan: AttemptPlan, events: AttemptEvents, httpStack: HttpStack) {
    this.plan = plan;
    this.events = events;
    this.request = httpStack.createRequest('PUT', plan.address);
  }

  run(): Promise<AttemptEnd> {
    const aborted = new Promise<AttemptEnd>((resolve) => {
      this.abortRun = () => resolve({ kind: 'aborted' });
    });
    return Promise.race([this.send(), aborted]);
  }

  abort(): void {
    this.abortRun();
    void this.request.abort();
  }

  private async send(): Promise<AttemptEnd> {
    const { source, key, type } = this.plan;
    this.events.onAcknowledged(0);
    const body = await source.slice(0, source.size).catch(() => null);
    if (body === null || body.size !== source.size) return { kind: 'unreadable' };
    this.request.setHeader('AccessKey', key);
    this.request.setHeader('Content-Type', type || 'application/octet-stream');
    this.request.setProgressHandler((sent) => this.events.onSent(sent));
    const response = await this.request.send(body).catch(() => null);
    if (response === null) return { kind: 'unanswered' };
    if (!isConfirmed(response)) return readAnswer(response);
    this.events.onAcknowledged(source.size);
    return { kind: 'sent' };
  }
}

/** Whether a response confirms the upload; the HTML page of a captive portal does not. */
function isConfirmed(response: HttpResponse): boolean {
  const status = response.getStatus();
  return status >= 200 && status < 300 && !/^text\/html/i.test(response.getHeader('Content-Type') ?? '');
}

/** Network Authentication Required (RFC 6585), the status of a captive portal. */
const captivePortal = 511;

/** Interprets a response that does not confirm the upload. */
function readAnswer(response: HttpResponse): AttemptEnd {
  const status = response.getStatus();
  // Our server confirms every success: this is an HTML page in place of its answer.
  if (status < 400 || status === captivePortal) return { kind: 'unanswered' };
  const { statusText = '' } = (response.getUnderlyingObject() ?? {}) as { statusText?: string };
  return { kind: 'answered', status, statusText, retryAfterMs: readRetryAfter(response.getHeader('Retry-After')) };
}

const mib = 1024 ** 2;

export const minPartBytes = 256 * 1024;
/** The largest part. Parts of a stored copy are read into memory. */
export const maxPartBytes = 64 * mib;
export const firstPartBytes = 2 * mib;

/**
 * The time that a part should take: confirmations are frequent enough, and the pause between two
 * requests is short in comparison.
 */
const partSeconds = 5;

/**
 * The bytes of the next request: as many as the link sends in `partSeconds`, at most twice as many
 * as before.
 * @param bytes of the previous request, which took `ms`
 */
export function nextPartBytes(bytes: number, ms: number, max: number): number {
  const wanted = (bytes / Math.max(ms, 1)) * partSeconds * 1000;
  const grown = Math.min(wanted, bytes * 2, max);
  return Math.max(Math.round(grown), Math.min(minPartBytes, max));
}

/** The next smaller part size after a proxy has refused a body. @returns null when there is none */
export function shrinkPart(bound: number): number | null {
  if (bound <= minPartBytes) return null;
  return bound > firstPartBytes ? firstPartBytes : Math.max(minPartBytes, bound / 4);
}
