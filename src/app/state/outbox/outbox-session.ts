import { subscribe } from 'valtio/vanilla';
import { locks } from '#app/platform/capabilities.ts';
import { buildAddress } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { recovered } from '#app/platform/link.ts';
import { fetchAs, sendAs } from '#app/state/send-as.ts';
import { listTags } from '#contract/endpoints.ts';
import type { Blocklist, UserReply } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import { nameKey } from '#contract/rules/text.ts';
import { facts } from '#device/device-database.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';
import { isUnsent, outboxCalls } from '#device/outbox-entry.ts';
import type { ReplayAnswer, ReplayDeps, ReplayEnd, ReplayNetwork } from '#device/outbox-replay.ts';
import { ReplaySchedule, replay } from '#device/outbox-replay.ts';
import { outboxStore } from '#device/outbox-store.ts';
import type { TabTurn } from '#device/tab-turn.ts';
import { LeaseTurn, LockTurn, sweepTime } from '#device/tab-turn.ts';
import { now } from '#device/timers.ts';
import { applyUser, readSession } from '../account.ts';
import { session } from '../session.ts';
import { outboxNotice } from '../unsent.ts';
import type { ViewerId } from '../viewer-cache.ts';
import { currentViewer } from '../viewer-cache.ts';
import { applySettings, outbox, publishOutbox, readOutbox, watchOtherTabs } from './outbox-state.ts';

const schedule = new ReplaySchedule(replayOnce);
let turn: TabTurn | null = null;
let viewer: ViewerId;
let stop: (() => void) | null = null;

/**
 * Starts showing waiting changes, and sending them when possible: after a sign-in, when the network
 * is back, and by a timer. Further calls do nothing.
 */
export function startOutbox(): void {
  if (stop) return;
  outboxNotice.isLoaded = true;
  const stops = [
    subscribe(session, onSession),
    recovered.listen(hurryIfNeeded),
    watchOtherTabs(() => void readOutboxOfOthers()),
  ];
  window.addEventListener('focus', onFocus);
  stop = () => {
    for (const end of stops) end();
    window.removeEventListener('focus', onFocus);
  };
  onSession();
}

/** Shows and sends the changes after one was added, or made to wait again. */
export async function announceChange(): Promise<void> {
  startOutbox();
  await publishOutbox();
  schedule.hurry();
}

/** Sends now, even if the server has asked for a wait. @returns how it has ended */
export function sendOutboxNow(): Promise<ReplayEnd> {
  return schedule.start();
}

export function stopOutbox(): void {
  stop?.();
  stop = null;
  outboxNotice.isLoaded = false;
  viewer = undefined;
  schedule.stop();
}

function onSession(): void {
  const next = currentViewer();
  if (next === viewer) return;
  viewer = next;
  schedule.stop();
  if (next !== undefined) void openFor(next);
}

async function openFor(userId: string | null): Promise<void> {
  // A store that fails is read again at the next change.
  await sweepTime()
    .then((time) => outboxStore.open(userId, time))
    .catch(() => {});
  await readOutbox();
  if (userId !== null && viewer === userId) schedule.hurry();
}

/**
 * Reads the changes of other tabs, which is how they are noticed in engines without a broadcast
 * channel.
 */
function onFocus(): void {
  void readOutboxOfOthers().then(hurryIfNeeded);
}

/** Sends waiting changes when the network may be back. */
function hurryIfNeeded(): void {
  if (outbox.entries.some(isUnsent)) schedule.hurry();
}

async function replayOnce(): Promise<ReplayEnd> {
  const userId = session.user?.id;
  if (userId === undefined) return { kind: 'not-signed-in' };
  let sent = 0;
  const onProgress = (entry: OutboxEntry, reply?: unknown) => {
    if (reply !== undefined) {
      sent += 1;
      applyReply(entry, reply);
    }
    void publishOutbox();
  };
  const end = await replay(userId, { store: outboxStore, network: outboxNetwork, turn: ownTurn(), now, onProgress });
  await publishOutbox();
  if (sent > 0 && session.user?.id === userId) void readSession();
  return end;
}

function ownTurn(): ReplayDeps['turn'] {
  const manager = locks();
  turn ??= manager
    ? new LockTurn(manager, 'fourfold.outbox')
    : new LeaseTurn(facts, 'outbox-lease', limits.outboxLeaseSeconds);
  return turn;
}

/** Applies the server's reply to settings; changes that still wait are shown over it. */
function applyReply({ userId, call }: OutboxEntry, reply: unknown): void {
  if (session.user?.id !== userId) return;
  if (call === 'updateBlocklist') applySettings({ blocked_tag_ids: (reply as Blocklist).blocked_tag_ids });
  if (call === 'updateProfile') applyUser(reply as UserReply);
}

/**
 * Reads the outbox after another tab may have changed it, and the profile once that tab has sent
 * everything.
 */
async function readOutboxOfOthers(): Promise<void> {
  const hadWaiting = outbox.entries.some(isUnsent);
  await readOutbox();
  if (hadWaiting && !outbox.entries.some(isUnsent)) await readSession();
}

type Request = Pick<OutboxEntry, 'userId' | 'call' | 'params' | 'body' | 'idempotencyKey'>;

/** The most pages of search results in which a tag of the exact name is looked for. */
const maxTagPages = 10;

/** Sends with the key of a change, and never with another user's token. */
export function fetchFor({ userId, idempotencyKey }: Pick<Request, 'userId' | 'idempotencyKey'>) {
  return fetchAs({ userId, headers: { 'Idempotency-Key': idempotencyKey } });
}

const outboxNetwork: ReplayNetwork = { send: sendEntry, findTag };

function sendEntry({ userId, call, params, body, idempotencyKey }: Request): Promise<ReplayAnswer> {
  const { method, path } = outboxCalls[call];
  const headers = { 'Idempotency-Key': idempotencyKey };
  return sendAs({ userId, method, address: buildAddress(path, params ?? {}), body, headers });
}

async function findTag({ body }: Pick<OutboxEntry, 'body'>): Promise<string | null> {
  const { name } = body as { name: string };
  const wanted = nameKey(name);
  const isNamed = (one: string) => nameKey(one) === wanted;
  for (let page = 1, pages = 1; page <= Math.min(pages, maxTagPages); page += 1) {
    const query = { search: name.trim(), limit: limits.tagListLimit, page };
    const { tags, total_pages } = await call(listTags, { query, quiet: true });
    const found = tags.find((tag) => isNamed(tag.name)) ?? tags.find(({ aliases }) => aliases.some(isNamed));
    if (found) return found.id;
    pages = total_pages;
  }
  return null;
}
