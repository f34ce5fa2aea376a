export type EntryForm = 'sign-in' | 'registration' | 'gate';

/** Something typed that its form refuses, and the server for the same input. */
export interface RefusedEntry {
  form: EntryForm;
  /** By the server's name for it. */
  field: string;
  value: string;
  sentence: string;
}

const password = 'north pier at dawn';
const tooLong = 'ü'.repeat(513);

/** What each form takes. */
export const goodEntries: Record<EntryForm, Record<string, string>> = {
  'sign-in': { identifier: 'mara', password },
  registration: { username: 'mara', email: 'mara@example.com', display_name: 'Mara', password, confirmation: password },
  gate: { password },
};

/**
 * Each sentence of §5 that one of the three forms can say, with what provokes it. The confirmation never leaves its
 * form.
 */
export const refusedEntries: RefusedEntry[] = [
  { form: 'sign-in', field: 'identifier', value: '  ', sentence: 'Username or email is required' },
  { form: 'sign-in', field: 'password', value: '', sentence: 'Password is required' },
  { form: 'sign-in', field: 'password', value: tooLong, sentence: 'Password must be at most 1024 bytes' },
  { form: 'registration', field: 'username', value: ' ', sentence: 'Username is required' },
  { form: 'registration', field: 'username', value: 'ab', sentence: 'Username must be at least 3 characters' },
  {
    form: 'registration',
    field: 'username',
    value: 'a'.repeat(51),
    sentence: 'Username must be less than 50 characters',
  },
  {
    form: 'registration',
    field: 'username',
    value: 'mara lind',
    sentence: 'Username can only contain letters, numbers, underscores, and hyphens',
  },
  { form: 'registration', field: 'email', value: ' ', sentence: 'Email is required' },
  { form: 'registration', field: 'email', value: 'mara@', sentence: 'Please enter a valid email address' },
  { form: 'registration', field: 'password', value: '', sentence: 'Password is required' },
  { form: 'registration', field: 'password', value: 'seven77', sentence: 'Password must be at least 8 characters' },
  { form: 'registration', field: 'password', value: tooLong, sentence: 'Password must be at most 1024 bytes' },
  {
    form: 'registration',
    field: 'password',
    value: 'Mara@Example.com',
    sentence: 'Password must not be your username or email',
  },
  { form: 'registration', field: 'confirmation', value: '', sentence: 'Please confirm your password' },
  { form: 'registration', field: 'confirmation', value: 'south pier at dawn', sentence: 'Passwords do not match' },
  {
    form: 'registration',
    field: 'display_name',
    value: 'x'.repeat(101),
    sentence: 'Display name must be at most 100 characters',
  },
  {
    form: 'registration',
    field: 'display_name',
    value: 'Ma\u202Era',
    sentence: 'Display name must not contain hidden characters',
  },
  { form: 'gate', field: 'password', value: '', sentence: 'Password is required' },
  { form: 'gate', field: 'password', value: tooLong, sentence: 'Password must be at most 1024 bytes' },
];
