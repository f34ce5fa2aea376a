import { expect, test } from 'vitest';
import type { EntryForm } from '#tests/support/refused-entries.ts';
import { refusedEntries } from '#tests/support/refused-entries.ts';
import { rowsOf } from './specification.ts';

/** Which rules each form is checked by. */
const rulesOf: Record<EntryForm, string[]> = {
  'sign-in': ['checkIdentifier', 'checkPassword'],
  registration: [
    'checkUsername',
    'checkEmail',
    'checkNewPassword',
    'checkOwnNames',
    'checkConfirmation',
    'checkDisplayName',
  ],
  gate: ['checkPassword'],
};

test('whatever §5 lets sign-in, registration and the gate say is tried in the forms and at the server', () => {
  const rows = rowsOf(5, 'Rule', 'Refused when', 'Sentence');
  const specified = Object.entries(rulesOf).flatMap(([form, rules]) =>
    rows.filter((row) => rules.includes(String(row.Rule))).map((row) => `${form}: ${row.Sentence}`),
  );
  expect(refusedEntries.map(({ form, sentence }) => `${form}: ${sentence}`).sort()).toEqual(specified.sort());
});
