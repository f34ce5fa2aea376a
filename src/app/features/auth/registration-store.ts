import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn, navigation } from '#app/state/navigation.ts';
import { createForm, readProblems } from '#app/ui/form/form.ts';
import { register } from '#contract/endpoints.ts';
import { checkRegistration, toRegistration } from '#contract/rules/credentials.ts';

/**
 * Whether the form shows the set-up code: the server has asked for it, or the address brought one (first account of an
 * installation).
 */
export const setupCodeField = proxy({ isShown: false });

/** §5 Registration. Success closes the dialog. */
export const registrationForm = createForm({
  empty: { username: '', email: '', display_name: '', password: '', confirmation: '', setup_code: '' },
  check: ({ display_name, ...values }) => {
    const { displayName, ...problems } = checkRegistration({ ...values, displayName: display_name });
    return { ...problems, display_name: displayName ?? null };
  },
  send: async ({ display_name, setup_code, ...values }, signal) => {
    const setupCode = setup_code.trim();
    const { invitation } = navigation;
    const body = {
      ...toRegistration({ ...values, displayName: display_name }),
      ...(setupCode && { setup_code: setupCode }),
      ...(invitation && { invitation }),
    };
    signInWith(await call(register, { body, signal, quiet: true }));
    closeSignIn();
  },
  toProblems: (error) => {
    const problems = readProblems(error);
    if (problems.setup_code) setupCodeField.isShown = true;
    return problems;
  },
  staysBusy: true,
});

/** An empty form, with the code that the address brought. */
export function openRegistration(): void {
  const { setupCode } = navigation;
  registrationForm.reset({ setup_code: setupCode ?? '' });
  setupCodeField.isShown = setupCode !== null;
}

/** Clears what was typed and cancels a registration under way. */
export function resetRegistration(): void {
  registrationForm.reset();
  setupCodeField.isShown = false;
}
