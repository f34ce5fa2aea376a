import { proxy } from 'valtio/vanilla';
import { signOut } from '#app/state/account.ts';
import { discardAllChanges, keepChanges, sendNow } from '#app/state/outbox/outbox-actions.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { changesNotSent } from '#contract/failures.ts';
import { openForm } from '../account/account-forms.ts';

/** `here`: this device alone; `everywhere`: the form for all devices follows. */
type SignOutScope = 'here' | 'everywhere';

interface SignOutState {
  /** Which sign-out asks what becomes of the changes that wait; null: none. */
  asked: SignOutScope | null;
  /** Which one goes on, once the question is closed. */
  decided: SignOutScope | null;
  isSending: boolean;
  refusal: string | null;
}

const initial = { asked: null, decided: null, isSending: false, refusal: null };

export const signingOut = proxy<SignOutState>({ ...initial });

/** Asks first, where changes of the user wait or were refused. */
export function startSignOut(scope: SignOutScope): void {
  if (outbox.entries.length === 0) goOn(scope);
  else signingOut.asked = scope;
}

export function cancelSignOut(): void {
  Object.assign(signingOut, initial);
}

/** Goes on once nothing is left. */
export async function sendAndSignOut(): Promise<void> {
  Object.assign(signingOut, { isSending: true, refusal: null });
  const isAllSent = await sendNow();
  signingOut.isSending = false;
  if (isAllSent) finish();
  else signingOut.refusal = changesNotSent;
}

export async function discardAndSignOut(): Promise<void> {
  await discardAllChanges();
  finish();
}

export async function keepAndSignOut(): Promise<void> {
  await keepChanges();
  finish();
}

/** The dialog calls it after the question is closed: a form that follows has a layer of its own. */
export function completeSignOut(): void {
  const { decided } = signingOut;
  cancelSignOut();
  if (decided !== null) goOn(decided);
}

function finish(): void {
  Object.assign(signingOut, { asked: null, decided: signingOut.asked });
}

function goOn(scope: SignOutScope): void {
  if (scope === 'here') void signOut();
  else openForm('signing-out');
}
