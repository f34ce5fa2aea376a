import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn } from '#app/state/navigation.ts';
import { createForm } from '#app/ui/form/form.ts';
import { signIn } from '#contract/endpoints.ts';
import { checkSignIn } from '#contract/rules/credentials.ts';

/** Whether the session outlives the day ('Remember me for 30 days'). */
export const signInChoice = proxy({ isRemembered: false });

/** §5 Sign in. Success closes the dialog. */
export const signInForm = createForm({
  empty: { identifier: '', password: '' },
  check: checkSignIn,
  send: async ({ identifier, password }, signal) => {
    const body = { identifier: identifier.trim(), password, rememberMe: signInChoice.isRemembered };
    signInWith(await call(signIn, { body, signal, quiet: true }));
    closeSignIn();
  },
  staysBusy: true,
});

export function rememberMe(isRemembered: boolean): void {
  signInChoice.isRemembered = isRemembered;
}

/** Clears what was typed and cancels a sign-in under way. */
export function resetSignIn(): void {
  signInForm.reset();
  signInChoice.isRemembered = false;
}
