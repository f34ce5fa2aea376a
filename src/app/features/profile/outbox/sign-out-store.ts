import { proxy } from 'valtio/vanilla';
import { signOut } from '#app/state/account.ts';
import { discardAllChanges, keepChanges, sendNow } from '#app/state/outbox/outbox-actions.ts';
import { outbox } from '#app/state/outbox/outbox-state.ts';
import { needsDevice, uploads } from '#app/state/uploads/uploads-state.ts';
import { changesNotSent } from '#contract/failures.ts';
import { openForm } from '../account/account-forms.ts';

/** `here`: this device alone; `everywhere`: the form for all devices follows. */
type SignOutScope = 'here' | 'everywhere';

interface SignOutState {
  /** Which sign-out asks about the uploads, then what becomes of the changes that wait; null: none. */
  asked: SignOutScope | null;
  /** Files that were being uploaded when it asked; 0: it asks about changes. */
  uploads: number;
  /** Which one goes on, once the question is closed. */
  decided: SignOutScope | null;
  isSending: boolean;
  refusal: string | null;
}

const initial = { asked: null, uploads: 0, decided: null, isSending: false, refusal: null };

export const signingOut = proxy<SignOutState>({ ...initial });

/** Asks first, where files of the user are being uploaded, and where changes wait or were refused. */
export function startSignOut(scope: SignOutScope): void {
  const unsent = uploads.rows.filter(needsDevice).length;
  if (unsent > 0 || outbox.entries.length > 0) Object.assign(signingOut, { asked: scope, uploads: unsent });
  else goOn(scope);
}

/** They are paused while nobody or somebody else is signed in. Asks about changes next, where there are any. */
export function leaveUploads(): void {
  if (outbox.entries.length === 0) finish();
  else signingOut.uploads = 0;
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
