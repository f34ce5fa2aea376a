import { proxy } from 'valtio/vanilla';
import { after } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';

interface AccountNoticeState {
  notice: { kind: 'ok' | 'danger'; sentence: string } | null;
}

/** The outcome of the last account change: a success for 3 s, a failure until the next change. */
export const accountNotice = proxy<AccountNoticeState>({ notice: null });

let cancelFading = () => {};

export function showSuccess(sentence: string): void {
  show({ kind: 'ok', sentence });
  cancelFading = after(limits.successMessageSeconds * 1000, clearNotice);
}

export function showFailure(sentence: string): void {
  show({ kind: 'danger', sentence });
}

export function clearNotice(): void {
  show(null);
}

function show(notice: AccountNoticeState['notice']): void {
  cancelFading();
  accountNotice.notice = notice;
}
