import { expect, test } from 'vitest';
import type { EntryForm } from '#tests/support/refused-entries.ts';
import { goodEntries, refusedEntries } from '#tests/support/refused-entries.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const sitePassword = 'open sesame';
const server = await startServer({ env: { SITE_PASSWORD: sitePassword } }, afterFile);
const entered = await server.call('POST', '/api/password-auth', { payload: { password: sitePassword } });
const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? '';

const addresses: Record<EntryForm, string> = {
  'sign-in': '/auth/login',
  registration: '/auth/register',
  gate: '/api/password-auth',
};

test.each(refusedEntries.filter(({ field }) => field !== 'confirmation'))(
  'the server says at $form of the $field what its form says: $sentence',
  async ({ form, field, value, sentence }) => {
    const reply = await server.call('POST', addresses[form], {
      headers: { cookie },
      payload: { ...goodEntries[form], [field]: value },
    });
    expect(reply.statusCode).toBe(400);
    expect(reply.json()).toEqual({
      error: 'validation_failed',
      message: sentence,
      details: [{ field, message: sentence }],
    });
  },
);
