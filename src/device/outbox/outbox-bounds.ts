import { outboxFull } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { isShown } from './outbox-entry.ts';

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
