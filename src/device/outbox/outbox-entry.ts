import type { OutboxCallName } from './outbox-calls.ts';

/**
 * `sending`: a page has begun to send it, and has no answer yet. `done`: a creation that was answered; it stays for a
 * day, for what still refers to its temporary id.
 */
type OutboxState = 'waiting' | 'sending' | 'refused' | 'done';

/** A small change that waits for the network. The entries of a person are sent in the order of their numbers. */
export interface OutboxEntry {
  number: number;
  userId: string;
  call: OutboxCallName;
  params: Readonly<Record<string, string>> | null;
  body: unknown;
  /** What it changes, in words: the name of a channel or of a file. */
  subject: string | null;
  /** Stands for the id of the tag that it creates until the server has given one. */
  temporaryId: string | null;
  /** The id that the server has given. */
  createdId: string | null;
  /** Sent with every attempt: the server does it once. */
  idempotencyKey: string;
  /** Epoch milliseconds, as all instants here. The first attempt was not before. */
  createdAt: number;
  state: OutboxState;
  /** Why the server refused it. */
  refusal: string | null;
  /** It was refused and is tried again by hand: where its name is taken, it uses the tag of that name. */
  mayAdopt: boolean;
  /** Its owner is not signed in on this device: dropped after that. */
  keptUntil: number | null;
}

/** A change before it is stored. */
export type OutboxDraft = Pick<OutboxEntry, 'call' | 'params' | 'body' | 'subject'> & {
  userId: string;
  temporaryId?: string | null;
  idempotencyKey: string;
  createdAt: number;
};

export function toEntry({ temporaryId = null, ...draft }: OutboxDraft): Omit<OutboxEntry, 'number'> {
  return { ...draft, temporaryId, createdId: null, state: 'waiting', refusal: null, mayAdopt: false, keptUntil: null };
}

/** Whether it is still to be sent. */
export function isUnsent({ state }: Pick<OutboxEntry, 'state'>): boolean {
  return state === 'waiting' || state === 'sending';
}

/** The owner sees it: what was refused as well. */
export function isShown({ state }: Pick<OutboxEntry, 'state'>): boolean {
  return state !== 'done';
}
