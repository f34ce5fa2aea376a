import { expect, test } from 'vitest';
import { registrationSchema, signInSchema } from '#contract/entities/account.ts';
import { deviceApprovalSchema } from '#contract/entities/device-sign-in.ts';
import { sitePasswordSchema } from '#contract/entities/gate.ts';
import type { RegistrationForm } from '#contract/rules/credentials.ts';
import { checkPassword, checkRegistration, checkSignIn } from '#contract/rules/credentials.ts';
import { checkUserCode } from '#contract/rules/device-code.ts';

interface Schema {
  safeParse(body: unknown): { error?: { issues: Array<{ path: PropertyKey[]; message: string }> } | undefined };
}

/** What the server says of one field. */
const said = (schema: Schema, body: object, field: string) => schema.safeParse(body).error?.issues.find(({ path }) => path[0] === field)?.message ?? null;

const good: RegistrationForm = { username: 'mara', email: 'mara@example.com', displayName: '', password: 'north pier at dawn', confirmation: '' };
const wireName = { username: 'username', email: 'email', displayName: 'display_name', password: 'password' } as const;

test.each<[keyof typeof wireName, string, string]>([
  ['username', ' ', 'Username is required'],
  ['username', 'ab', 'Username must be at least 3 characters'],
  ['username', 'a'.repeat(51), 'Username must be less than 50 characters'],
  ['username', 'mara lind', 'Username can only contain letters, numbers, underscores, and hyphens'],
  ['email', '', 'Email is required'],
  ['email', 'mara@', 'Please enter a valid email address'],
  ['password', '', 'Password is required'],
  ['password', 'seven77', 'Password must be at least 8 characters'],
  ['password', 'ü'.repeat(513), 'Password must be at most 1024 bytes'],
  ['displayName', 'x'.repeat(101), 'Display name must be at most 100 characters'],
])('registration and server say the same of the %s %j', (field, value, sentence) => {
  const { displayName, confirmation: _, ...body } = { ...good, [field]: value };
  expect(checkRegistration({ ...good, [field]: value })[field]).toBe(sentence);
  expect(said(registrationSchema, { ...body, display_name: displayName }, wireName[field])).toBe(sentence);
});

test.each<['identifier' | 'password', string, string]>([
  ['identifier', '  ', 'Username or email is required'],
  ['password', '', 'Password is required'],
  ['password', 'x'.repeat(1025), 'Password must be at most 1024 bytes'],
])('sign-in and server say the same of the %s %j', (field, value, sentence) => {
  const form = { identifier: 'mara', password: 'p', [field]: value };
  expect(checkSignIn(form)[field]).toBe(sentence);
  expect(said(signInSchema, form, field)).toBe(sentence);
});

test.each(['', 'x'.repeat(1025)])('gate and server say the same of the password %j', (password) => {
  expect(said(sitePasswordSchema, { password }, 'password')).toBe(checkPassword(password));
});

test('the dialog for the code of a TV and the server say the same of what is none', () => {
  expect(said(deviceApprovalSchema, { user_code: 'AEIO-UAEI' }, 'user_code')).toBe(checkUserCode('AEIO-UAEI'));
});
