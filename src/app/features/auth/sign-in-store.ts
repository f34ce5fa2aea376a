import { proxy } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn } from '#app/state/navigation.ts';
import { signIn } from '#contract/endpoints.ts';
import type { Problems, SignInForm } from '#contract/rules/credentials.ts';
import { checkSignIn } from '#contract/rules/credentials.ts';
import { refusalWords, refusedFields } from './refusal.ts';

interface SignInState extends SignInForm {
  isRemembered: boolean;
  problems: Problems<keyof SignInForm>;
  /** Why the last try failed. */
  failure: string | null;
  isBusy: boolean;
}

const empty = (): SignInState => ({ identifier: '', password: '', isRemembered: false, problems: {}, failure: null, isBusy: false });

export const signInForm = proxy<SignInState>(empty());

let abort = new AbortController();

/** A field's problem goes when it is edited (§5 Sign in). */
export function editSignIn(field: keyof SignInForm, value: string): void {
  signInForm[field] = value;
  delete signInForm.problems[field];
}

export function rememberMe(isRemembered: boolean): void {
  signInForm.isRemembered = isRemembered;
}

/** Sends what is right by the rules, and closes the dialog when that lets somebody in. */
export async function submitSignIn(): Promise<void> {
  const { identifier, password, isRemembered, isBusy } = signInForm;
  if (isBusy) return;
  const problems = checkSignIn(signInForm);
  Object.assign(signInForm, { problems, failure: null });
  if (Object.keys(problems).length > 0) return;
  await send({ identifier: identifier.trim(), password, rememberMe: isRemembered });
}

/** Forgets what was typed. A try that is under way is given up. */
export function resetSignIn(): void {
  abort.abort();
  Object.assign(signInForm, empty());
}

async function send(body: { identifier: string; password: string; rememberMe: boolean }): Promise<void> {
  abort = new AbortController();
  const { signal } = abort;
  signInForm.isBusy = true;
  try {
    signInWith(await call(signIn, { body, signal, quiet: true }));
    closeSignIn();
  } catch (error) {
    if (signal.aborted) return;
    const { identifier, password } = refusedFields(error);
    const problems = { ...(identifier && { identifier }), ...(password && { password }) };
    Object.assign(signInForm, { isBusy: false, problems, failure: Object.keys(problems).length > 0 ? null : refusalWords(error) });
  }
}
