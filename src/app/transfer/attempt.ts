import type { HttpRequest, HttpResponse, HttpStack, UploadOptions } from 'tus-js-client';
import { DetailedError, Upload } from 'tus-js-client';
import type { UploadBytes } from '#device/uploads/upload-bytes.ts';
import { now } from '../platform/timers.ts';

export interface AttemptPlan {
  source: UploadBytes;
  address: string;
  /** `AccessKey`. */
  key: string;
  /** Media type; empty for none. */
  type: string;
  /** No request carries more, where parts can be sent. */
  maxPartBytes: number;
}

/** Positions in the file. */
export interface AttemptEvents {
  /** Up to here bytes have left this device. */
  onSent(bytes: number): void;
  /** Up to here the server has confirmed them. */
  onAcknowledged(bytes: number): void;
}

export type AttemptEnd =
  | { kind: 'sent' }
  /** The server has refused it, or could not do it. `retryAfterMs`: the wait that it asks for. */
  | { kind: 'answered'; status: number; statusText: string; retryAfterMs: number | null }
  /** No answer of the server: the network, or a captive portal in its place. */
  | { kind: 'unanswered' }
  /** This device can read the file no more. */
  | { kind: 'unreadable' }
  | { kind: 'aborted' };

/** One try to send a file, from what the server has of it. */
export interface Attempt {
  run(): Promise<AttemptEnd>;
  abort(): void;
}

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

/** By one `PUT` of the whole file, for addresses that cannot do more: it begins at 0 each time. */
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

/** The page of a captive portal confirms nothing. */
function isConfirmed(response: HttpResponse): boolean {
  const status = response.getStatus();
  return status >= 200 && status < 300 && !/^text\/html/i.test(response.getHeader('Content-Type') ?? '');
}

const maxWaitSeconds = 3_600;
/** Network Authentication Required, RFC 6585: a captive portal says so. */
const captivePortal = 511;

/** What an answer means that does not confirm anything. */
function readAnswer(response: HttpResponse): AttemptEnd {
  const status = response.getStatus();
  // Our server's answers confirm what they say: this is a page in their place.
  if (status < 400 || status === captivePortal) return { kind: 'unanswered' };
  const { statusText = '' } = (response.getUnderlyingObject() ?? {}) as { statusText?: string };
  return { kind: 'answered', status, statusText, retryAfterMs: readRetryAfter(response) };
}

/** Seconds, RFC 9110; our server sends no dates. */
function readRetryAfter(response: HttpResponse): number | null {
  const header = response.getHeader('Retry-After');
  const seconds = header ? Number(header) : Number.NaN;
  return seconds >= 0 ? Math.min(seconds, maxWaitSeconds) * 1000 : null;
}

const mib = 1024 ** 2;

export const minPartBytes = 256 * 1024;
/** A part is read into memory where the bytes come from a copy of ours. */
export const maxPartBytes = 64 * mib;
export const firstPartBytes = 2 * mib;

/** A part takes about so long: what is confirmed moves, and the pause between two requests counts little. */
const partSeconds = 5;

/**
 * How many bytes the next request carries: what the link has sent in `partSeconds`, at most twice as much as before.
 * @param bytes of the request before, which took `ms`
 */
export function nextPartBytes(bytes: number, ms: number, max: number): number {
  const wanted = (bytes / Math.max(ms, 1)) * partSeconds * 1000;
  const grown = Math.min(wanted, bytes * 2, max);
  return Math.max(Math.round(grown), Math.min(minPartBytes, max));
}

/** The next smaller bound after a proxy has refused a body. @returns null: none is left */
export function shrinkPart(bound: number): number | null {
  if (bound <= minPartBytes) return null;
  return bound > firstPartBytes ? firstPartBytes : Math.max(minPartBytes, bound / 4);
}
