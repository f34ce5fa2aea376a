import { proxy } from 'valtio/vanilla';
import { broadcastChannel } from '#app/platform/capabilities.ts';
import type { OutboxEntry } from '#device/outbox/outbox-entry.ts';
import { isUnsent } from '#device/outbox/outbox-entry.ts';
import { outboxStore } from '#device/outbox/outbox-store.ts';
import { readSession } from '../account.ts';
import { session } from '../session.ts';
import { showWaiting } from './own-settings.ts';
import { addWaitingSettings } from './waiting-settings.ts';

interface OutboxViewState {
  /** What the signed-in user has waiting or refused, in order. */
  entries: OutboxEntry[];
  /** False: it ends with the page. */
  isLasting: boolean;
}

export const outbox = proxy<OutboxViewState>({ entries: [], isLasting: true });

/** Between the tabs of this browser: the outbox has changed. */
let channel: BroadcastChannel | undefined;
let reading: Promise<void> | null = null;
let isStale = false;

/** Hears of changes by other tabs. Returns what stops it. */
export function watchOtherTabs(onChange: () => void): () => void {
  channel = broadcastChannel('fourfold.outbox');
  channel?.addEventListener('message', onChange);
  return () => {
    channel?.close();
    channel = undefined;
  };
}

/** After a change of the outbox: shows it, here and in the other tabs. */
export async function publishOutbox(): Promise<void> {
  channel?.postMessage('changed');
  await readOutbox();
}

/** Reads the signed-in user's changes. Calls while it reads share one further reading. */
export function readOutbox(): Promise<void> {
  isStale = true;
  reading ??= readUntilCurrent();
  return reading;
}

/** The profile is read again once all was sent elsewhere. */
export async function readOutboxOfOthers(): Promise<void> {
  const hadWaiting = outbox.entries.some(isUnsent);
  await readOutbox();
  if (hadWaiting && !outbox.entries.some(isUnsent)) await readSession();
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

/** Null: they cannot be read now, and what is shown stays. */
async function readEntries(userId: string | null): Promise<OutboxEntry[] | null> {
  return userId === null ? [] : outboxStore.list(userId).catch(() => null);
}

function commit(entries: OutboxEntry[], isLasting: boolean): void {
  const waiting = entries.filter(isUnsent);
  Object.assign(outbox, { entries, isLasting });
  showWaiting(waiting.length > 0 ? (user) => addWaitingSettings(user, waiting) : null);
}
