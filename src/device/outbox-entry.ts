import {
  addFavourite,
  assignTags,
  createTag,
  deleteTag,
  removeFavourite,
  removeTag,
  updateBlocklist,
  updateProfile,
  updateTag,
} from '#contract/endpoints.ts';
import { newRandomId } from './random-id.ts';

/**
 * `sending`: a page has begun to send it, and has no answer yet. `done`: a creation that was
 * answered; it is kept for a day, for changes that still refer to its temporary id.
 */
type OutboxState = 'waiting' | 'sending' | 'refused' | 'done';

/**
 * A small change that waits for the network. A user's entries are sent in the order of their
 * numbers.
 */
export interface OutboxEntry {
  number: number;
  userId: string;
  call: OutboxCallName;
  params: Readonly<Record<string, string>> | null;
  body: unknown;
  /** The name of the channel or file that it changes. */
  subject: string | null;
  /** The id of the created tag until the server has given one. */
  temporaryId: string | null;
  /** The id that the server gave the created tag. */
  createdId: string | null;
  /** The key sent with every attempt, so that the server applies the change once. */
  idempotencyKey: string;
  /** Epoch milliseconds, as all instants here. The first attempt is not earlier. */
  createdAt: number;
  state: OutboxState;
  /** The reason of the server's refusal. */
  refusal: string | null;
  /**
   * True when a refused creation is tried again by the user: if its name is taken, the existing tag
   * is used.
   */
  mayAdopt: boolean;
  /** When it is deleted (`sweepTime`): set when it is done, or its owner not signed in here. */
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

/** Whether the change is still to be sent. */
export function isUnsent({ state }: Pick<OutboxEntry, 'state'>): boolean {
  return state === 'waiting' || state === 'sending';
}

/** Whether its owner sees the change: all but completed ones, including refused ones. */
export function isShown({ state }: Pick<OutboxEntry, 'state'>): boolean {
  return state !== 'done';
}

/**
 * The only calls that may wait for the network. None of them contains a password, an email address
 * or an agreement: of the profile, only settings are stored.
 */
export const outboxCalls = {
  createTag,
  updateTag,
  deleteTag,
  assignTags,
  removeTag,
  updateBlocklist,
  updateProfile,
  addFavourite,
  removeFavourite,
} as const;

export type OutboxCallName = keyof typeof outboxCalls;

/** Whether the call may be stored: checked when it is added, and again when it is read. */
export function isOutboxCall({ call, body }: { readonly call: string; readonly body: unknown }): boolean {
  if (!Object.keys(outboxCalls).includes(call)) return false;
  return call !== 'updateProfile' || Object.keys(Object(body)).join() === 'settings';
}

type Arguments = Pick<OutboxEntry, 'params' | 'body'>;

const prefix = 'new-';

/** Creates an id for a tag that the server does not know yet. */
export function newTemporaryId(): string {
  return prefix + newRandomId();
}

/** The temporary ids that a change refers to, in its path or its list of tags. */
export function temporaryIdsOf({ params, body }: Arguments): string[] {
  return [...Object.values(params ?? {}), ...tagIdsOf(body)].filter(isTemporary);
}

/** The change with temporary ids replaced by those of the server. */
export function replaceIds({ params, body }: Arguments, given: ReadonlyMap<string, string>): Arguments {
  const replace = (id: string) => given.get(id) ?? id;
  return {
    params: params && mapValues(params, replace),
    body: hasTagIds(body) ? { ...body, tag_ids: body.tag_ids.map(replace) } : body,
  };
}

export function refersTo(entry: Arguments, temporaryId: string | null): boolean {
  return temporaryId !== null && temporaryIdsOf(entry).includes(temporaryId);
}

export function isTemporary(id: string): boolean {
  return /^new-[0-9a-f]{32}$/.test(id);
}

function tagIdsOf(body: unknown): readonly string[] {
  return hasTagIds(body) ? body.tag_ids : [];
}

function hasTagIds(body: unknown): body is { tag_ids: readonly string[] } {
  return Array.isArray((body as { tag_ids?: unknown } | null)?.tag_ids);
}

function mapValues(values: Readonly<Record<string, string>>, map: (value: string) => string): Record<string, string> {
  const mapped: Record<string, string> = {};
  for (const [name, value] of Object.entries(values)) mapped[name] = map(value);
  return mapped;
}

/** The change was neither sent nor stored. The message is a sentence for people. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
}
