import { limits } from '#contract/limits.ts';
import { isRemoval } from './outbox-calls.ts';
import type { OutboxEntry } from './outbox-entry.ts';

/** What came of sending a change. */
export type ReplayAnswer =
  | {
      kind: 'answered';
      status: number;
      /** JSON; null for 204. */
      body: unknown;
      /** Why it was refused. */
      sentence: string;
      retryAfterMs: number | null;
    }
  | { kind: 'unanswered' }
  /** Its owner is not here, or not let in. */
  | { kind: 'not-signed-in' };

export type Verdict =
  | { kind: 'done'; createdId: string | null }
  /** The tag may be there already: the one of that name is used. */
  | { kind: 'adopt'; sentence: string }
  | { kind: 'refused'; sentence: string }
  /** `askedMs`: the wait that the server asks for. `isOwn`: the server answers, and fails at this change alone. */
  | { kind: 'later'; askedMs: number | null; isOwn: boolean }
  | { kind: 'not-signed-in' };

/** Whether the server may have forgotten its key, so that it may have been done before. A clock that went back counts. */
function isKeyForgotten({ createdAt }: Pick<OutboxEntry, 'createdAt'>, now: number): boolean {
  const age = now - createdAt;
  return age < 0 || age >= limits.idempotencyHours * 3_600_000;
}

/** What the answer means for a change (§4 Outbox). */
export function judge(entry: OutboxEntry, answer: ReplayAnswer, now: number): Verdict {
  if (answer.kind === 'unanswered') return { kind: 'later', askedMs: null, isOwn: false };
  if (answer.kind === 'not-signed-in' || answer.status === 401) return { kind: 'not-signed-in' };
  const { status, sentence } = answer;
  if (status < 300) return judgeSuccess(entry, answer.body);
  if (isTemporary(status)) return { kind: 'later', askedMs: answer.retryAfterMs, isOwn: status === 500 };
  if (status === 404 && isRemoval(entry.call)) return { kind: 'done', createdId: null };
  const isAmbiguous = entry.mayAdopt || isKeyForgotten(entry, now);
  if (status === 409 && entry.call === 'createTag' && isAmbiguous) return { kind: 'adopt', sentence };
  return { kind: 'refused', sentence };
}

function judgeSuccess({ call }: OutboxEntry, body: unknown): Verdict {
  if (call !== 'createTag') return { kind: 'done', createdId: null };
  const id = (body as { tag?: { id?: unknown } } | null)?.tag?.id;
  return { kind: 'done', createdId: typeof id === 'string' ? id : null };
}

/** The server could not do it now: too many calls, stopping, or at fault itself. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
