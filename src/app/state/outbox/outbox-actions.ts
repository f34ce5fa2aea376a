import { call } from '#app/platform/http/call.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import type { BodyOf, Endpoint, ParamsOf, ReplyOf } from '#contract/endpoint.ts';
import type { ProfileUpdate } from '#contract/entities/user.ts';
import { deviceFailures } from '#contract/failures.ts';
import type { OutboxCallName, OutboxDraft, OutboxEntry } from '#device/outbox-entry.ts';
import { isOutboxCall, NotStored, newTemporaryId, outboxCalls, temporaryIdsOf } from '#device/outbox-entry.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { newRandomId } from '#device/random-id.ts';
import { sweepTime } from '#device/tab-turn.ts';
import { now } from '#device/timers.ts';
import { readSession } from '../account.ts';
import { connection } from '../connection.ts';
import { session } from '../session.ts';
import { announceChange, fetchFor, sendOutboxNow } from './outbox-session.ts';
import { outbox, publishOutbox } from './outbox-state.ts';

type EndpointOf<Name extends OutboxCallName> = (typeof outboxCalls)[Name];

type Part<Name extends string, Value> = [Value] extends [undefined] ? Record<never, never> : { [Key in Name]: Value };

type StoredBody<Name extends OutboxCallName> = Name extends 'updateProfile'
  ? Required<Pick<ProfileUpdate, 'settings'>>
  : BodyOf<EndpointOf<Name>>;

/** The arguments of a call. `subject` is the name of the channel or file that it changes. */
type OutboxArguments<Name extends OutboxCallName> = Part<'params', ParamsOf<EndpointOf<Name>>> &
  Part<'body', StoredBody<Name>> & { subject?: string };

/**
 * The result of a call. `temporaryId` replaces the id of the tag that a stored creation makes, in
 * later calls as well.
 */
type Sent<Reply> = { isStored: false; reply: Reply } | { isStored: true; temporaryId: string | null };

/** Runs calls one after another: a call that waits for an answer must not be overtaken. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Makes a call, or stores it for later when nobody answers, or when earlier changes are waiting.
 * The caller shows the change in both cases (settings and blocklist show themselves), and tells the
 * user which one it is.
 * @throws HttpError for a refusal, NotStored when there is no room, both with a sentence for people
 */
export function sendOrStore<Name extends OutboxCallName>(
  name: Name,
  args: OutboxArguments<Name>,
): Promise<Sent<ReplyOf<EndpointOf<Name>>>> {
  const userId = session.user?.id;
  const sent = last.then(() =>
    userId === undefined ? sendAsNobody(name, args) : sendAs(toDraft(userId, name, args)),
  ) as Promise<Sent<ReplyOf<EndpointOf<Name>>>>;
  last = sent.catch(() => {}); // the caller handles it
  return sent;
}

/** Waits for the calls under way: what is read afterwards includes them. */
export async function untilSent(): Promise<void> {
  await last;
}

async function sendAs(draft: OutboxDraft): Promise<Sent<unknown>> {
  const isSent = connection.isReachable ? await trySending(draft) : null;
  if (isSent) return isSent;
  const { temporaryId } = await outboxStore.add(draft);
  await announceChange();
  return { isStored: true, temporaryId };
}

/** Null means that the change has to wait. */
async function trySending(draft: OutboxDraft): Promise<Sent<unknown> | null> {
  if (await outboxStore.hasUnsent(draft.userId).catch(() => false)) return null;
  const { params, body } = await outboxStore.resolve(draft.userId, draft);
  if (temporaryIdsOf({ params, body }).length > 0) throw new NotStored(deviceFailures.channelNotCreated);
  try {
    const reply = await callAny(draft.call, { params, body, fetch: fetchFor(draft) });
    return { isStored: false, reply };
  } catch (error) {
    if (error instanceof NetworkError) return null;
    throw error;
  }
}

async function sendAsNobody(name: OutboxCallName, { params, body }: AnyArguments): Promise<Sent<unknown>> {
  return { isStored: false, reply: await callAny(name, { params, body }) };
}

interface AnyArguments {
  params?: unknown;
  body?: unknown;
  subject?: string;
}

/** The arguments were checked with the name of their call. */
function callAny(name: OutboxCallName, input: AnyArguments & { fetch?: ReturnType<typeof fetchFor> }) {
  return call(outboxCalls[name] as Endpoint, input as never) as Promise<unknown>;
}

function toDraft(userId: string, name: OutboxCallName, { params, body, subject }: AnyArguments): OutboxDraft {
  if (!isOutboxCall({ call: name, body })) throw new Error(`${name} must not wait for the network`);
  return {
    userId,
    call: name,
    params: (params as Record<string, string> | undefined) ?? null,
    body,
    subject: subject ?? null,
    temporaryId: name === 'createTag' ? newTemporaryId() : null,
    idempotencyKey: newRandomId(),
    createdAt: now(),
  };
}

/** Sends all waiting changes. @returns whether none waits or is refused any more */
export async function sendNow(): Promise<boolean> {
  await sendOutboxNow();
  return outbox.entries.length === 0;
}

/** Makes a refused change wait again. */
export async function retryChange(entry: Pick<OutboxEntry, 'number'>): Promise<void> {
  const own = outbox.entries.find(({ number }) => number === entry.number);
  if (!own) return;
  await outboxStore.retry(own, newRandomId);
  await announceChange();
}

/** Discards a change, and reverts it on the screen. */
export async function discardChange({ number }: Pick<OutboxEntry, 'number'>): Promise<void> {
  await outboxStore.discard(number);
  await publishDiscard();
}

export async function discardAllChanges(userId = session.user?.id): Promise<void> {
  if (userId === undefined) return;
  await outboxStore.discardAll(userId);
  await publishDiscard();
}

/**
 * Keeps waiting changes for their owner while they are not signed in. Nobody else sees or sends
 * them.
 */
export async function keepChanges(): Promise<void> {
  await outboxStore.open(null, await sweepTime());
}

async function publishDiscard(): Promise<void> {
  await publishOutbox();
  if (connection.isReachable && session.user) void readSession();
}
