import { now } from '#app/platform/timers.ts';
import type { OutboxEntry } from '#device/outbox/outbox-entry.ts';
import { outboxStore } from '#device/outbox/outbox-store.ts';
import { newRandomId } from '#device/random-id.ts';
import { readSession } from '../account.ts';
import { connection } from '../connection.ts';
import { session } from '../session.ts';
import { announceChange, sendOutboxNow } from './outbox-session.ts';
import { outbox, publishOutbox } from './outbox-state.ts';

/** Sends all that waits. @returns whether nothing waits or is refused any more */
export async function sendNow(): Promise<boolean> {
  await sendOutboxNow();
  return outbox.entries.length === 0;
}

/** A refused change waits again. */
export async function retryChange(entry: Pick<OutboxEntry, 'number'>): Promise<void> {
  const own = outbox.entries.find(({ number }) => number === entry.number);
  if (!own) return;
  await outboxStore.retry(own, newRandomId);
  await announceChange();
}

/** What it has changed on the screen goes back. */
export async function discardChange({ number }: Pick<OutboxEntry, 'number'>): Promise<void> {
  await outboxStore.discard(number);
  await publishDiscard();
}

export async function discardAllChanges(userId = session.user?.id): Promise<void> {
  if (userId === undefined) return;
  await outboxStore.discardAll(userId);
  await publishDiscard();
}

/** What waits is kept for its owner, whom nobody else sees or sends it for, while they are not signed in. */
export async function keepChanges(): Promise<void> {
  await outboxStore.open(null, now());
}

async function publishDiscard(): Promise<void> {
  await publishOutbox();
  if (connection.isReachable && session.user) void readSession();
}
