import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { applyUser, endLocalSession } from '#app/state/account.ts';
import { closeDialog, openDialog } from '#app/state/navigation.ts';
import { discardAllChanges } from '#app/state/outbox/outbox-actions.ts';
import { cancelVisit, visitProvider } from '#app/state/providers.ts';
import { removeAllSaved } from '#app/state/saved/saved-session.ts';
import { session } from '#app/state/session.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { watchViewer } from '#app/state/viewer-cache.ts';
import { watchedLog } from '#app/state/watched-log.ts';
import { createForm, readRefusal } from '#app/ui/form/form.ts';
import { changePassword, deleteAccount, signOutEverywhere, updateProfile } from '#contract/endpoints.ts';
import type { AuthProvider } from '#contract/entities/account.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import {
  checkConfirmation,
  checkDisplayName,
  checkEmail,
  checkNewPassword,
  checkOwnNames,
  checkPassword,
} from '#contract/rules/credentials.ts';
import { after } from '#device/timers.ts';
import { loadSessions } from './sign-ins-store.ts';

type AccountFormName = 'display-name' | 'email' | 'password' | 'deletion' | 'signing-out';

/** The form that the account dialog shows. */
export const openedForm = proxy<{ name: AccountFormName }>({ name: 'display-name' });

export const displayNameForm = createForm({
  empty: { display_name: '' },
  check: ({ display_name }) => ({ display_name: checkDisplayName(display_name) }),
  send: async ({ display_name }, signal) => {
    const finish = finisher(signal);
    applyUser(await call(updateProfile, { body: { display_name: display_name.trim() } }));
    finish('Display name changed.');
  },
  toLateSentence: failures.changeAccount,
});

export const emailForm = createForm({
  empty: { email: '', current_password: '' },
  check: ({ email, current_password }) => ({
    email: checkEmail(email),
    current_password: checkOwnPassword(current_password),
  }),
  send: async ({ email, current_password }, signal) => {
    const finish = finisher(signal);
    applyUser(
      await call(updateProfile, { body: { email: email.trim(), ...proof('current_password', current_password) } }),
    );
    finish('Email changed.');
  },
  toLateSentence: failures.changeAccount,
});

export const passwordForm = createForm({
  empty: { current_password: '', new_password: '', confirmation: '' },
  check: ({ current_password, new_password, confirmation }) => ({
    current_password: checkOwnPassword(current_password),
    new_password: checkNewPassword(new_password) ?? (session.user && checkOwnNames(new_password, session.user)),
    confirmation: checkConfirmation(new_password, confirmation),
  }),
  send: async ({ current_password, new_password }, signal) => {
    const finish = finisher(signal);
    await call(changePassword, { body: { ...proof('current_password', current_password), new_password } });
    void loadSessions();
    finish('Password changed. Your other devices are signed out.');
  },
  toLateSentence: failures.changeAccount,
});

export const deletionForm = createForm({
  empty: { password: '' },
  check: ({ password }) => ({ password: checkOwnPassword(password) }),
  send: async ({ password }) => {
    const isSame = watchViewer();
    await call(deleteAccount, { body: proof('password', password) });
    if (!isSame()) return;
    await discardAllChanges().catch(() => {}); // a deleted account cannot send them; the device drops them later
    await discardOwnUploads().catch(() => {}); // a deleted account cannot send them
    await watchedLog.forget().catch(() => {}); // there is no log any more
    await leaveDevice(isSame);
  },
  toLateSentence: failures.changeAccount,
});

export const signingOutForm = createForm({
  empty: {},
  check: () => ({}),
  send: async () => {
    const isSame = watchViewer();
    await call(signOutEverywhere);
    if (isSame()) await leaveDevice(isSame);
  },
  toLateSentence: failures.changeAccount,
});

/** Ends the session of this device, unless somebody else has signed in here meanwhile. */
async function leaveDevice(isSame: () => boolean): Promise<void> {
  await removeAllSaved();
  if (!isSame()) return;
  closeDialog();
  await endLocalSession();
}

const forms = {
  'display-name': displayNameForm,
  email: emailForm,
  password: passwordForm,
  deletion: deletionForm,
  'signing-out': signingOutForm,
};

/** Opens a form, filled with the current values. */
export function openForm(name: AccountFormName): void {
  clearNotice();
  clearForms();
  displayNameForm.reset({ display_name: session.user?.display_name ?? '' });
  emailForm.reset({ email: session.user?.email ?? '' });
  openedForm.name = name;
  openDialog('account');
}

/** Clears all fields, above all passwords. */
export function clearForms(): void {
  clearProof();
  for (const form of Object.values(forms)) form.reset();
}

export async function removeAvatar(): Promise<void> {
  clearNotice();
  const isSame = watchViewer();
  try {
    applyUser(await call(updateProfile, { body: { avatar_url: null } }));
    if (isSame()) showSuccess('Picture removed.');
  } catch (error) {
    if (isSame()) showFailure(readRefusal(error));
  }
}

/**
 * Returns a function that closes the form's dialog, and tells the success. A dialog that was closed
 * before the reply may have made room for another, and somebody else may have signed in.
 */
function finisher(signal: AbortSignal): (sentence: string) => void {
  const isSame = watchViewer();
  return (sentence) => {
    if (!signal.aborted) closeDialog();
    if (isSame()) showSuccess(sentence);
  };
}

/** Discards the user's uploads. The code for it is loaded only when there are any. */
async function discardOwnUploads(): Promise<void> {
  if (session.user === null || uploads.rows.length === 0) return;
  const { discardUploads } = await import('#app/state/uploads/stored-queue.ts');
  await discardUploads(session.user.id);
}

/**
 * The password field of a request. Users without a password confirm themselves with a provider
 * instead, and send none.
 */
function proof<Field extends string>(field: Field, password: string): { [Name in Field]?: string } {
  return hasPassword() ? ({ [field]: password } as { [Name in Field]: string }) : {};
}

function checkOwnPassword(password: string): string | null {
  return hasPassword() ? checkPassword(password) : null;
}

interface AccountNoticeState {
  notice: { kind: 'ok' | 'danger'; sentence: string } | null;
}

/**
 * The outcome of the last account change. A success is shown for 3 s, a failure until the next
 * change.
 */
export const accountNotice = proxy<AccountNoticeState>({ notice: null });

let cancelFading = () => {};

function showSuccess(sentence: string): void {
  show({ kind: 'ok', sentence });
  cancelFading = after(limits.successMessageSeconds * 1000, clearNotice);
}

function showFailure(sentence: string): void {
  show({ kind: 'danger', sentence });
}

export function clearNotice(): void {
  show(null);
}

function show(notice: AccountNoticeState['notice']): void {
  cancelFading();
  accountNotice.notice = notice;
}

/** Whether the user has just confirmed their identity at a provider. */
export const providerProof = proxy({ isGiven: false });

/**
 * Whether the user has a password. A profile stored by an older version lacks `has_password`, so
 * the server decides.
 */
export function hasPassword({
  user,
}: {
  readonly user: { readonly has_password?: boolean } | null;
} = session): boolean {
  return user?.has_password !== false;
}

/**
 * Confirms the identity by linking a linked provider again, which returns to this page with the
 * same session.
 */
export function proveByProvider(provider: AuthProvider): void {
  providerProof.isGiven = false;
  visitProvider(provider, {
    isLinking: true,
    onSuccess: () => {
      providerProof.isGiven = true;
    },
  });
}

function clearProof(): void {
  cancelVisit();
  providerProof.isGiven = false;
}
