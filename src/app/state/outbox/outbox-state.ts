import { proxy, subscribe } from 'valtio/vanilla';
import { broadcastChannel } from '#app/platform/later-capabilities.ts';
import type { BlocklistUpdate, Settings, User } from '#contract/entities/user.ts';
import { rebaseList } from '#contract/rules/text.ts';
import type { OutboxEntry } from '#device/outbox-entry.ts';
import { isUnsent } from '#device/outbox-entry.ts';
import { outboxStore } from '#device/outbox-store.ts';
import { applyUser, ownUser } from '../account.ts';
import { session } from '../session.ts';

interface OutboxViewState {
  /** The signed-in user's waiting and refused changes, in order. */
  entries: OutboxEntry[];
  /** False when the changes are lost with the page. */
  isLasting: boolean;
}

export const outbox = proxy<OutboxViewState>({ entries: [], isLasting: true });

/** Tells the tabs of this browser that the outbox has changed. */
let channel: BroadcastChannel | undefined;
let reading: Promise<void> | null = null;
let isStale = false;

/** Calls back on changes by other tabs. Returns a function that stops it. */
export function watchOtherTabs(onChange: () => void): () => void {
  channel = broadcastChannel('fourfold.outbox');
  channel?.addEventListener('message', onChange);
  return () => {
    channel?.close();
    channel = undefined;
  };
}

/** Shows the changed outbox, here and in the other tabs. */
export async function publishOutbox(): Promise<void> {
  channel?.postMessage('changed');
  await readOutbox();
}

/** Reads the signed-in user's changes. Calls during a read share one further read. */
export function readOutbox(): Promise<void> {
  isStale = true;
  reading ??= readUntilCurrent();
  return reading;
}

export function resetOutbox(): void {
  commit([], true);
}

async function readUntilCurrent(): Promise<void> {
  while (isStale) {
    isStale = false;
    const userId = session.user?.id ?? null;
    const [entries, isLasting] = await Promise.all([readEntries(userId), outboxStore.isLasting()]);
    if (userId !== (session.user?.id ?? null)) isStale = true;
    else if (entries) commit(entries, isLasting);
  }
  reading = null;
}

/** Null when they cannot be read now: the shown ones stay. */
async function readEntries(userId: string | null): Promise<OutboxEntry[] | null> {
  return userId === null ? [] : outboxStore.list(userId).catch(() => null);
}

function commit(entries: OutboxEntry[], isLasting: boolean): void {
  const waiting = entries.filter(isUnsent);
  Object.assign(outbox, { entries, isLasting });
  const isOfSettings = waiting.some(({ call }) => /^update(Blocklist|Profile)$/.test(call));
  showWaiting(isOfSettings ? (user) => addWaitingSettings(user, waiting) : null);
}

/**
 * Calls back whenever the last waiting change was sent, refused or discarded. Returns a function
 * that stops it.
 */
export function onOutboxSent(listener: () => void): () => void {
  let wasWaiting = outbox.entries.some(isUnsent);
  return subscribe(outbox, () => {
    const isWaiting = outbox.entries.some(isUnsent);
    if (wasWaiting && !isWaiting) listener();
    wasWaiting = isWaiting;
  });
}

const showAsAnswered = (user: User): User => user;

/** Applies the server's reply to a change of the own settings. */
export function applySettings(change: Partial<Settings>): void {
  const user = confirmedUser();
  if (user) applyUser({ user: { ...user, settings: { ...user.settings, ...change } }, features: user.features });
}

/** Shows waiting changes over the server's answer from now on; null: none wait. */
function showWaiting(change: ((user: User) => User) | null): void {
  if (change === null && !isChanged()) return;
  ownUser.confirmed = confirmedUser();
  ownUser.show = change ?? showAsAnswered;
  const shown = ownUser.confirmed && ownUser.show(ownUser.confirmed);
  // Every view that reads the user is drawn again by another object, also when it says the same.
  if (shown && JSON.stringify(shown) !== JSON.stringify(session.user)) session.user = shown;
}

/** Whether the shown user differs from the one that the server sent. */
function isChanged(): boolean {
  return ownUser.confirmed !== null && ownUser.show(ownUser.confirmed) !== ownUser.confirmed;
}

function confirmedUser(): User | null {
  const { confirmed } = ownUser;
  return isChanged() && confirmed?.id === session.user?.id ? confirmed : session.user;
}

/** A user with the waiting settings applied, as if they were saved. */
function addWaitingSettings(user: User, waiting: readonly OutboxEntry[]): User {
  let { settings } = user;
  for (const entry of waiting) if (entry.userId === user.id) settings = { ...settings, ...settingsOf(entry, settings) };
  return settings === user.settings ? user : { ...user, settings };
}

function settingsOf({ call, body }: OutboxEntry, { blocked_tag_ids }: Settings): Partial<Settings> {
  if (call === 'updateBlocklist') {
    const { blocked_tag_ids: wanted, known } = body as BlocklistUpdate;
    return { blocked_tag_ids: rebaseList(blocked_tag_ids, wanted, known) };
  }
  return call === 'updateProfile' ? (body as { settings: Partial<Settings> }).settings : {};
}
