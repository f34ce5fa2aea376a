import { subscribe } from 'valtio/vanilla';
import { isUnsent } from '#device/outbox/outbox-entry.ts';
import { outbox } from './outbox-state.ts';

/** Calls whenever nothing waits any more of what did: all was sent, refused or discarded. Returns what stops it. */
export function onOutboxSent(listener: () => void): () => void {
  let wasWaiting = outbox.entries.some(isUnsent);
  return subscribe(outbox, () => {
    const isWaiting = outbox.entries.some(isUnsent);
    if (wasWaiting && !isWaiting) listener();
    wasWaiting = isWaiting;
  });
}
