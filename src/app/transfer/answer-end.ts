import type { HttpResponse } from 'tus-js-client';
import type { AttemptEnd } from './attempt.ts';

const maxWaitSeconds = 3_600;
/** Network Authentication Required, RFC 6585: a captive portal says so. */
const captivePortal = 511;

/** What an answer means that does not confirm anything. */
export function readAnswer(response: HttpResponse): AttemptEnd {
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
