import { proxy } from 'valtio/vanilla';
import { after } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';

interface AccountNoticeState {
  notice: { kind: 'ok' | 'danger'; sentence: string } | null;
}

/** What the last change of the account came to: a success for a while, a failure until the next. */
export const accountNotice = proxy<AccountNoticeState>({ notice: null });

let cancelFading = () => {};

export function tellDone(sentence: string): void {
  show({ kind: 'ok', sentence });
  cancelFading = after(limits.successMessageSeconds * 1000, clearNotice);
}

export function tellFailed(sentence: string): void {
  show({ kind: 'danger', sentence });
}

export function clearNotice(): void {
  show(null);
}

function show(notice: AccountNoticeState['notice']): void {
  cancelFading();
  accountNotice.notice = notice;
}
