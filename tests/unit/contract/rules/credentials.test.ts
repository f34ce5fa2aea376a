import { describe, expect, test } from 'vitest';
import {
  checkConfirmation,
  checkDisplayName,
  checkEmail,
  checkIdentifier,
  checkNewPassword,
  checkPassword,
  checkRegistration,
  checkSignIn,
  checkUsername,
  toRegistration,
} from '#contract/rules/credentials.ts';

const form = {
  username: 'mara',
  email: 'mara@example.com',
  displayName: '',
  password: 'north pier',
  confirmation: 'north pier',
};

test.each([
  ['', 'Username is required'],
  ['   ', 'Username is required'],
  ['ab', 'Username must be at least 3 characters'],
  [' ab ', 'Username must be at least 3 characters'],
  ['abc', null],
  [' abc ', null],
  ['a'.repeat(50), null],
  ['a'.repeat(51), 'Username must be less than 50 characters'],
  ['Mara_L-1', null],
  ['mara l', 'Username can only contain letters, numbers, underscores, and hyphens'],
  ['mara.l', 'Username can only contain letters, numbers, underscores, and hyphens'],
  ['mära', 'Username can only contain letters, numbers, underscores, and hyphens'],
  ['mаra', 'Username can only contain letters, numbers, underscores, and hyphens'],
  ['<b>', 'Username can only contain letters, numbers, underscores, and hyphens'],
  ['mara\n', null],
  ['ma\nra', 'Username can only contain letters, numbers, underscores, and hyphens'],
])('the username %j is answered with %j', (username, sentence) => {
  expect(checkUsername(username)).toBe(sentence);
});

test.each([
  ['', 'Email is required'],
  [' ', 'Email is required'],
  ['mara@example.com', null],
  [' mara@example.com ', null],
  ['mara+four@mail.example.co', null],
  ['mara', 'Please enter a valid email address'],
  ['mara@example', 'Please enter a valid email address'],
  ['@example.com', 'Please enter a valid email address'],
  ['mara@', 'Please enter a valid email address'],
  ['mara@.com', 'Please enter a valid email address'],
  ['mara@example.', 'Please enter a valid email address'],
  ['mara@example..com', 'Please enter a valid email address'],
  ['ma ra@example.com', 'Please enter a valid email address'],
  ['mara@one@example.com', 'Please enter a valid email address'],
  [`${'a'.repeat(242)}@example.com`, null],
  [`${'a'.repeat(243)}@example.com`, 'Please enter a valid email address'],
])('the address %j is answered with %j', (email, sentence) => {
  expect(checkEmail(email)).toBe(sentence);
});

test.each([
  ['', 'Password is required'],
  ['1234567', 'Password must be at least 8 characters'],
  ['12345678', null],
  ['        ', null],
  ['🎬'.repeat(7), 'Password must be at least 8 characters'],
  ['🎬'.repeat(8), null],
  ['a'.repeat(1024), null],
  ['a'.repeat(1025), 'Password must be at most 1024 bytes'],
  ['🎬'.repeat(256), null],
  ['🎬'.repeat(257), 'Password must be at most 1024 bytes'],
])('the new password %j is answered with %j', (password, sentence) => {
  expect(checkNewPassword(password)).toBe(sentence);
});

test.each([
  ['', 'Password is required'],
  [' ', null],
  ['short', null],
  ['a'.repeat(1025), 'Password must be at most 1024 bytes'],
])('the password %j at sign-in is answered with %j', (password, sentence) => {
  expect(checkPassword(password)).toBe(sentence);
});

test.each([
  ['north pier', '', 'Please confirm your password'],
  ['', '', 'Please confirm your password'],
  ['north pier', 'north pier ', 'Passwords do not match'],
  ['north pier', 'North pier', 'Passwords do not match'],
  ['north pier', 'north pier', null],
])('the password %j confirmed as %j is answered with %j', (password, confirmation, sentence) => {
  expect(checkConfirmation(password, confirmation)).toBe(sentence);
});

test.each([
  ['', null],
  ['é'.repeat(100), null],
  [` ${'é'.repeat(100)} `, null],
  ['é'.repeat(101), 'Display name must be at most 100 characters'],
])('the display name %j is answered with %j', (displayName, sentence) => {
  expect(checkDisplayName(displayName)).toBe(sentence);
});

test('an identifier of blanks is none', () => {
  expect(checkIdentifier('\t ')).toBe('Username or email is required');
  expect(checkIdentifier(' mara ')).toBeNull();
});

describe('a form', () => {
  test('that is in order has no problems', () => {
    expect(checkRegistration(form)).toEqual({});
    expect(checkSignIn({ identifier: 'mara', password: 'north pier' })).toEqual({});
  });

  test('that is empty says what each field needs', () => {
    expect(checkRegistration({ username: '', email: '', displayName: '', password: '', confirmation: '' })).toEqual({
      username: 'Username is required',
      email: 'Email is required',
      password: 'Password is required',
      confirmation: 'Please confirm your password',
    });
    expect(checkSignIn({ identifier: ' ', password: '' })).toEqual({
      identifier: 'Username or email is required',
      password: 'Password is required',
    });
  });
});

describe('what registration sends', () => {
  test('is trimmed, but for the password', () => {
    expect(
      toRegistration({
        ...form,
        username: ' mara ',
        email: ' mara@example.com ',
        displayName: ' Mara ',
        password: ' north pier ',
      }),
    ).toEqual({
      username: 'mara',
      email: 'mara@example.com',
      display_name: 'Mara',
      password: ' north pier ',
    });
  });

  test('has no display name when there is none', () => {
    expect(toRegistration({ ...form, displayName: '  ' })).toEqual({
      username: 'mara',
      email: 'mara@example.com',
      password: 'north pier',
    });
  });
});
