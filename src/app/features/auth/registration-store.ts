import { proxy } from 'valtio';
import { call } from '#app/platform/http/call.ts';
import { signInWith } from '#app/state/account.ts';
import { closeSignIn, navigation } from '#app/state/navigation.ts';
import { register } from '#contract/endpoints.ts';
import type { Problems, RegistrationForm } from '#contract/rules/credentials.ts';
import { checkRegistration, toRegistration } from '#contract/rules/credentials.ts';
import { refusalWords, refusedFields } from './refusal.ts';

export type RegistrationField = keyof RegistrationForm | 'setupCode';

interface RegistrationState extends RegistrationForm {
  setupCode: string;
  /** Whether the server has asked for the code: the first account of an installation, made from another machine. */
  needsSetupCode: boolean;
  problems: Problems<RegistrationField>;
  /** Why the last try failed. */
  failure: string | null;
  isBusy: boolean;
}

const empty = (): RegistrationState => ({
  username: '',
  email: '',
  displayName: '',
  password: '',
  confirmation: '',
  setupCode: '',
  needsSetupCode: false,
  problems: {},
  failure: null,
  isBusy: false,
});

/** The server's names of the fields. */
const wireNames: Record<string, RegistrationField> = {
  username: 'username',
  email: 'email',
  display_name: 'displayName',
  password: 'password',
  setup_code: 'setupCode',
};

export const registrationForm = proxy<RegistrationState>(empty());

let abort = new AbortController();

/** An empty form; the code that an address brought stands in it. */
export function openRegistration(): void {
  const { setupCode } = navigation;
  Object.assign(registrationForm, empty(), setupCode !== null && { setupCode, needsSetupCode: true });
}

/** A field's problem goes when it is edited (§5 Registration). */
export function editRegistration(field: RegistrationField, value: string): void {
  registrationForm[field] = value;
  delete registrationForm.problems[field];
}

/** Sends what is right by the rules, and closes the dialog when there is an account then. */
export async function submitRegistration(): Promise<void> {
  if (registrationForm.isBusy) return;
  const problems = checkRegistration(registrationForm);
  Object.assign(registrationForm, { problems, failure: null });
  if (Object.keys(problems).length === 0) await send();
}

/** Forgets what was typed. A try that is under way is given up. */
export function resetRegistration(): void {
  abort.abort();
  Object.assign(registrationForm, empty());
}

async function send(): Promise<void> {
  abort = new AbortController();
  const { signal } = abort;
  const setupCode = registrationForm.setupCode.trim();
  const body = { ...toRegistration(registrationForm), ...(setupCode && { setup_code: setupCode }) };
  registrationForm.isBusy = true;
  try {
    signInWith(await call(register, { body, signal, quiet: true }));
    closeSignIn();
  } catch (error) {
    if (!signal.aborted) tell(error);
  }
}

/** What the server says of a field stands at the field, all else in the box. */
function tell(error: unknown): void {
  const known = Object.entries(refusedFields(error)).flatMap(([name, words]) => (wireNames[name] ? [[wireNames[name], words] as const] : []));
  const problems: Problems<RegistrationField> = Object.fromEntries(known);
  const failure = known.length > 0 ? null : refusalWords(error);
  Object.assign(registrationForm, { isBusy: false, problems, failure, needsSetupCode: registrationForm.needsSetupCode || 'setupCode' in problems });
}
