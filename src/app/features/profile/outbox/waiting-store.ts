import { proxy } from 'valtio/vanilla';
import { discardAllChanges, sendNow } from '#app/state/outbox/outbox-actions.ts';
import type { Outcome } from '#app/ui/card/notice.tsx';
import { changesNotSent } from '#contract/failures.ts';
import { changesSent } from '#contract/notices.ts';

interface WaitingChangesState {
  isSending: boolean;
  /** The question before all are discarded. */
  isAsking: boolean;
  notice: Outcome | null;
}

const initial = { isSending: false, isAsking: false, notice: null };

export const waitingChanges = proxy<WaitingChangesState>({ ...initial });

export async function sendWaiting(): Promise<void> {
  if (waitingChanges.isSending) return;
  Object.assign(waitingChanges, { isSending: true, notice: null });
  const isAllSent = await sendNow();
  Object.assign(waitingChanges, {
    isSending: false,
    notice: isAllSent ? { kind: 'ok', sentence: changesSent } : { kind: 'danger', sentence: changesNotSent },
  });
}

export function askToDiscard(): void {
  waitingChanges.isAsking = true;
}

export function cancelDiscard(): void {
  waitingChanges.isAsking = false;
}

export async function discardWaiting(): Promise<void> {
  await discardAllChanges();
  Object.assign(waitingChanges, initial);
}

export function resetWaitingChanges(): void {
  Object.assign(waitingChanges, initial);
}
