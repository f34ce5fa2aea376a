import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { readText } from '#app/platform/http/download.ts';
import { Resource } from '#app/ui/resource.ts';
import { acceptEula, readEula } from '#contract/endpoints.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { notices } from '#contract/notices.ts';
import type { ScrollFacts } from '#contract/rules/upload-file.ts';
import { isReadToEnd } from '#contract/rules/upload-file.ts';
import { closeEula, confirmEula } from './access-store.ts';
import { showAlert } from './upload-store.ts';

interface EulaState {
  /** The reading progress, 0 to 1. */
  share: number;
  isReadToEnd: boolean;
  isTicked: boolean;
  isAccepting: boolean;
  failure: string | null;
}

export const eulaTitle = 'End-User License Agreement';

const unread: EulaState = { share: 0, isReadToEnd: false, isTicked: false, isAccepting: false, failure: null };

export const eula = proxy<EulaState>({ ...unread });

/** The agreement as Markdown, without its title, which the dialog shows. */
export const eulaText = new Resource<string>({
  load: async () => (await readText(readEula)).replace(/^\s*#\s[^\n]*\n/, ''),
  toSentence: failures.loadEula,
});

/** Loads the text. Returns a function that closes it, and forgets the progress and the tick. */
export function openEulaText(): () => void {
  const close = eulaText.open();
  return () => {
    close();
    Object.assign(eula, unread);
  };
}

/**
 * Records the reading progress. The end counts once it was reached, even if the text is scrolled
 * back; a text that fits counts as read.
 */
export function recordReading(facts: ScrollFacts): void {
  const way = facts.scrollHeight - facts.clientHeight;
  eula.share = way <= 0 ? 1 : Math.min(1, facts.scrollTop / way);
  eula.isReadToEnd ||= isReadToEnd(facts);
}

export function tickEula(isTicked: boolean): void {
  eula.isTicked = isTicked;
}

export async function acceptAgreement(): Promise<void> {
  Object.assign(eula, { isAccepting: true, failure: null });
  try {
    await call(acceptEula, { body: { version: limits.eulaVersion } });
    confirmEula();
    showAlert(eulaTitle, notices.eulaAccepted);
  } catch {
    eula.failure = failures.acceptEula;
  }
  eula.isAccepting = false;
}

export function declineAgreement(): void {
  closeEula();
  showAlert(eulaTitle, notices.eulaDeclined);
}

export function dismissEulaFailure(): void {
  eula.failure = null;
}
