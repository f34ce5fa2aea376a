import {
  assignTags,
  createTag,
  deleteTag,
  removeTag,
  updateBlocklist,
  updateProfile,
  updateTag,
} from '#contract/endpoints.ts';
import { outboxFull } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { newRandomId } from './random-id.ts';

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

/**
 * The only calls that may wait for the network. Nothing with a password, an address or an agreement is among them: of
 * the profile, settings alone.
 */
export const outboxCalls = {
  createTag,
  updateTag,
  deleteTag,
  assignTags,
  removeTag,
  updateBlocklist,
  updateProfile,
} as const;

export type OutboxCallName = keyof typeof outboxCalls;

/** What it takes away may be gone already. */
const removals: readonly OutboxCallName[] = ['deleteTag', 'removeTag'];

export function isRemoval(call: OutboxCallName): boolean {
  return removals.includes(call);
}

/** Whether this may be stored: checked when it is added, and again when it is read. */
export function isOutboxCall({ call, body }: { readonly call: string; readonly body: unknown }): boolean {
  if (!Object.keys(outboxCalls).includes(call)) return false;
  return call !== 'updateProfile' || Object.keys(Object(body)).join() === 'settings';
}

type Arguments = Pick<OutboxEntry, 'params' | 'body'>;

const prefix = 'new-';

/** An id for a tag that the server does not know yet. */
export function newTemporaryId(): string {
  return prefix + newRandomId();
}

/** The temporary ids that a change refers to, in its address or its list of tags. */
export function temporaryIdsOf({ params, body }: Arguments): string[] {
  return [...Object.values(params ?? {}), ...tagIdsOf(body)].filter(isTemporary);
}

/** The same change with the ids that the server has given. */
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

function isTemporary(id: string): boolean {
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

/** The change was neither sent nor stored. The message can be shown to people. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
}

type Sized = Pick<OutboxEntry, 'state' | 'params' | 'body' | 'subject'>;

/** @throws NotStored where one more change has no room beside those that wait */
export function checkRoom(waiting: readonly Sized[], added: Pick<Sized, 'params' | 'body' | 'subject'>): void {
  const shown = waiting.filter(isShown);
  const characters = shown.reduce((sum, entry) => sum + sizeOf(entry), sizeOf(added));
  if (shown.length >= limits.outboxEntries || characters > limits.outboxCharacters) throw new NotStored(outboxFull);
}

function sizeOf({ params, body, subject }: Pick<Sized, 'params' | 'body' | 'subject'>): number {
  return JSON.stringify([params, body, subject]).length;
}
