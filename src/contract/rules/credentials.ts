import { limits } from '#contract/limits.ts';
import { countCharacters, hasHidden, hasHiddenInName, hasMoreBytes, hasMoreCharacters, nameKey } from './text.ts';

/** The sentence for each field that was refused; a field that is fine is absent. */
type Problems<Field extends string> = Partial<Record<Field, string>>;

interface SignInForm {
  identifier: string;
  password: string;
}

interface RegistrationForm {
  username: string;
  email: string;
  displayName: string;
  password: string;
  confirmation: string;
}

/**
 * The fewest characters that a password has beside the own name: `mara2026` has too few, `mara at
 * dawn` has enough.
 */
const charactersBesideName = 5;

export function checkIdentifier(identifier: string): string | null {
  return identifier.trim() === '' ? 'Username or email is required' : null;
}

/**
 * Checks a password that is only compared: it must be neither empty nor so long that hashing it
 * takes noticeable time (§9 Account constants).
 */
export function checkPassword(password: string): string | null {
  if (password === '') return 'Password is required';
  return hasMoreBytes(password, limits.passwordMaxBytes)
    ? `Password must be at most ${limits.passwordMaxBytes} bytes`
    : null;
}

export function checkUsername(username: string): string | null {
  const name = username.trim();
  if (name === '') return 'Username is required';
  if (hasMoreCharacters(name, limits.usernameMaxCharacters))
    return `Username must be less than ${limits.usernameMaxCharacters} characters`;
  if (countCharacters(name) < limits.usernameMinCharacters)
    return `Username must be at least ${limits.usernameMinCharacters} characters`;
  return /^[A-Za-z0-9_-]+$/.test(name) ? null : 'Username can only contain letters, numbers, underscores, and hyphens';
}

export function checkEmail(email: string): string | null {
  const address = email.trim();
  if (address === '') return 'Email is required';
  const isAddress =
    !hasMoreCharacters(address, limits.emailCharacters) &&
    !hasHidden(address) &&
    /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(address);
  return isAddress ? null : 'Please enter a valid email address';
}

/** Checks a password that will be stored. */
export function checkNewPassword(password: string): string | null {
  const isTooShort = password !== '' && !hasMoreCharacters(password, limits.passwordMinCharacters - 1);
  return isTooShort ? `Password must be at least ${limits.passwordMinCharacters} characters` : checkPassword(password);
}

/** Refuses a password that is little more than the own name: attackers try those first. */
export function checkOwnNames(
  password: string,
  { username, email }: { username: string; email: string },
): string | null {
  const names = [username, email, email.replace(/@.*$/, '')].map(nameKey);
  const isName = names.some((name) => countCharacters(nameKey(password).split(name).join('')) < charactersBesideName);
  return isName ? 'Password must not be your username or email' : null;
}

export function checkConfirmation(password: string, confirmation: string): string | null {
  if (confirmation === '') return 'Please confirm your password';
  return confirmation === password ? null : 'Passwords do not match';
}

export function checkDisplayName(displayName: string): string | null {
  const name = displayName.trim();
  if (hasMoreCharacters(name, limits.displayNameCharacters))
    return `Display name must be at most ${limits.displayNameCharacters} characters`;
  return hasHiddenInName(name) ? 'Display name must not contain hidden characters' : null;
}

/** The whole sign-in form (§5 Sign in). */
export function checkSignIn(form: SignInForm): Problems<keyof SignInForm> {
  return onlyProblems({ identifier: checkIdentifier(form.identifier), password: checkPassword(form.password) });
}

/** The whole registration form (§5 Registration). */
export function checkRegistration(form: RegistrationForm): Problems<keyof RegistrationForm> {
  return onlyProblems({
    username: checkUsername(form.username),
    email: checkEmail(form.email),
    displayName: checkDisplayName(form.displayName),
    password: checkNewPassword(form.password) ?? checkOwnNames(form.password, form),
    confirmation: checkConfirmation(form.password, form.confirmation),
  });
}

/**
 * The body of a registration: names trimmed, the password as typed, an empty display name left out
 * (§5 Registration).
 */
export function toRegistration(form: RegistrationForm): {
  username: string;
  email: string;
  password: string;
  display_name?: string;
} {
  const account = { username: form.username.trim(), email: form.email.trim(), password: form.password };
  const displayName = form.displayName.trim();
  return displayName === '' ? account : { ...account, display_name: displayName };
}

function onlyProblems<Field extends string>(answers: Record<Field, string | null>): Problems<Field> {
  const problems: Problems<Field> = {};
  for (const field of Object.keys(answers) as Field[]) {
    const sentence = answers[field];
    if (sentence !== null) problems[field] = sentence;
  }
  return problems;
}

/** Consonants that are not mistaken for one another and spell no words (RFC 8628 section 6.1). */
export const userCodeAlphabet = 'BCDFGHJKLMNPQRSTVWXZ';

/** A code in capitals, without the dash and the blanks that people type. */
export function normalizeUserCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '');
}

export function checkUserCode(typed: string): string | null {
  const code = normalizeUserCode(typed);
  const isCode =
    code.length === limits.deviceCodeCharacters &&
    Array.from(code).every((letter) => userCodeAlphabet.includes(letter));
  return isCode ? null : `Enter the ${limits.deviceCodeCharacters} letters that the TV shows`;
}

/** A code in two halves, as a TV shows it. */
export function userCodeText(code: string): string {
  const half = code.length / 2;
  return `${code.slice(0, half)}-${code.slice(half)}`;
}
