import { uploadStatus } from '#contract/failures.ts';
import type { AttemptEnd } from './attempt.ts';

/** What is to be done about an attempt that has failed. */
export type Verdict =
  /** Again, as soon as the server can be reached. */
  | { kind: 'network' }
  /** Again after a wait: `askedMs` where the server says so. Counted ones become a failure with `message`. */
  | { kind: 'later'; askedMs: number | null; isCounted: boolean; message: string }
  /** A proxy takes no body of that size. */
  | { kind: 'smaller-parts'; message: string }
  /** The session has another key, or is gone. */
  | { kind: 'key' }
  /** The session is over, or this file has ended in it. */
  | { kind: 'gone' }
  | { kind: 'failed'; message: string };

/** Another request held the file, or sent bytes of it: the next one asks for the offset. */
const offsetChanged = [409, 423, 460];
/** Too many requests, or what stands before the server cannot reach it. */
const busy = [408, 425, 429, 502, 503, 504];
/** A full disk is not emptied within seconds. */
const fullDiskWaitMs = 60_000;

export function judge(end: Extract<AttemptEnd, { kind: 'answered' | 'unanswered' }>): Verdict {
  if (end.kind === 'unanswered') return { kind: 'network' };
  const { status, statusText, retryAfterMs: askedMs } = end;
  const message = uploadStatus(status, statusText).trim();
  if (status === 401 || status === 404) return { kind: 'key' };
  if (status === 410) return { kind: 'gone' };
  if (status === 413) return { kind: 'smaller-parts', message };
  if (offsetChanged.includes(status)) return { kind: 'later', askedMs, isCounted: true, message };
  if (busy.includes(status)) return { kind: 'later', askedMs, isCounted: false, message };
  if (status === 507) return { kind: 'later', askedMs: askedMs ?? fullDiskWaitMs, isCounted: true, message };
  if (status >= 500) return { kind: 'later', askedMs, isCounted: true, message };
  return { kind: 'failed', message };
}
