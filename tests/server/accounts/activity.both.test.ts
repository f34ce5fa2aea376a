import { describe, expect, test } from 'vitest';
import { activityListSchema } from '#contract/entities/site.ts';
import { limits } from '#contract/limits.ts';
import { recordActivity } from '#server/features/activity/activity-log.ts';
import { createInvitation } from '#tests/support/invitations.ts';
import { password, personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const dayMs = 86_400_000;
const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
const { headers, id: keeperId } = await putPerson(server, 'keeper', 'admin');

const asKeeper = (method: 'POST' | 'PUT' | 'DELETE', path: string, payload: object = {}) =>
  server.call(method, path, { headers, payload });

async function list(query = '', by: Record<string, string> = headers) {
  return activityListSchema.parse((await server.get(`/api/admin/activity${query}`, by)).json());
}

/** What `work` adds to the log, in its order. */
async function linesOf(work: () => Promise<unknown>) {
  const { total } = await list();
  await work();
  const after = await list('?limit=100');
  const added = after.activities.slice(0, after.total - total).reverse();
  return added.map(({ actor, kind, subject, detail }) => [actor, kind, subject, detail]);
}

function register(username: string, more: object = {}) {
  const payload = { username, email: `${username}@example.com`, password, ...more };
  return server.call('POST', '/auth/register', { payload });
}

describe('the activity log says', () => {
  test('what an administrator does to an account, by the names of that moment, and without what was typed', async () => {
    const person = await putAccount(server, 'subject');
    const path = `/users/admin/${person}`;
    const lines = await linesOf(async () => {
      await asKeeper('PUT', path, { display_name: 'Somebody Else', email: 'other@example.org' });
      await asKeeper('PUT', path, { display_name: 'Somebody Else', new_password: 'a fresh start' });
      await asKeeper('PUT', `${path}/subscription`, { tier: 'pro', expires_at: '2099-05-06T22:30:00+02:00' });
      await asKeeper('PUT', `${path}/subscription`, { tier: 'lifetime' });
      await asKeeper('DELETE', `${path}/sessions`);
      await asKeeper('DELETE', path);
    });
    expect(lines).toEqual([
      ['keeper', 'account_changed', 'subject', 'display name, email'],
      ['keeper', 'password_set', 'subject', null],
      ['keeper', 'tier_changed', 'subject', 'pro until 2099-05-06'],
      ['keeper', 'tier_changed', 'subject', 'lifetime'],
      ['keeper', 'sessions_ended', 'subject', null],
      ['keeper', 'account_deleted', 'subject', null],
    ]);
  });

  test('what people do to their own account, and still says it when they are gone', async () => {
    const lines = await linesOf(async () => {
      const person = personOf(await register('passer-by'));
      await server.call('POST', '/users/subscription/upgrade', {
        headers: person.headers,
        payload: { to_tier: 'pro' },
      });
      await server.call('DELETE', '/users/profile', { headers: person.headers, payload: { password } });
    });
    expect(lines).toEqual([
      ['passer-by', 'account_created', 'passer-by', 'registration'],
      ['passer-by', 'tier_changed', 'passer-by', 'pro'],
      ['passer-by', 'account_deleted', 'passer-by', null],
    ]);
  });

  test('what becomes of invitations', async () => {
    const lines = await linesOf(async () => {
      const { token } = await createInvitation(server, headers, 'lifetime');
      const { id } = await createInvitation(server, headers);
      await register('guest', { invitation: token });
      for (let times = 0; times < 2; times += 1) await asKeeper('DELETE', `/users/admin/invitations/${id}`);
    });
    expect(lines).toEqual([
      ['keeper', 'invitation_created', null, 'lifetime'],
      ['keeper', 'invitation_created', null, 'basic'],
      ['guest', 'account_created', 'guest', 'invitation'],
      ['guest', 'invitation_used', 'keeper', 'lifetime'],
      ['keeper', 'invitation_revoked', 'keeper', 'basic'],
    ]);
  });

  test('what an administrator does to the site', async () => {
    const lines = await linesOf(async () => {
      await asKeeper('POST', '/api/config/update', { video_settings: { switch_interval_seconds: 90 } });
      await asKeeper('POST', '/api/clear-cache');
    });
    expect(lines).toEqual([
      ['keeper', 'settings_changed', 'Switch interval in seconds', '90'],
      ['keeper', 'cache_cleared', null, '0 bytes'],
    ]);
  });

  test('nothing of what was refused', async () => {
    const other = await putAccount(server, 'untouched');
    const lines = await linesOf(async () => {
      await asKeeper('DELETE', `/users/admin/${keeperId}`);
      await asKeeper('PUT', `/users/admin/${keeperId}/subscription`, { tier: 'basic' });
      await asKeeper('PUT', `/users/admin/${other}`, { email: 'keeper@example.com' });
      await asKeeper('PUT', `/users/admin/${other}`, { new_password: 'short' });
      await asKeeper('DELETE', '/users/admin/nobody');
      await asKeeper('DELETE', '/users/admin/nobody/sessions');
      await asKeeper('PUT', '/users/admin/nobody/subscription', { tier: 'pro' });
      await register('guest');
    });
    expect(lines).toEqual([]);
  });
});

test('a line of the activity log is as long as it can be read, however long the name that it is about', async () => {
  const { database } = server.services;
  const write = (subject: string) =>
    database.write((transaction) =>
      recordActivity(transaction, { actorId: null, kind: 'video_hidden', subject }, clock.now()),
    );
  await write('😀'.repeat(200));
  await write('😀'.repeat(5_000));
  const [cut, whole] = (await list('?limit=2')).activities;
  expect(whole).toMatchObject({ actor: null, subject: '😀'.repeat(200) });
  expect(cut?.subject).toBe(`${'😀'.repeat(199)}…`);
});

test('the activity log comes in pages, the latest first', async () => {
  const { activities, total, total_pages, page } = await list('?page=2&limit=2');
  const all = (await list('?limit=100')).activities;
  expect([total, total_pages, page]).toEqual([all.length, Math.ceil(all.length / 2), 2]);
  expect(activities).toEqual(all.slice(2, 4));
  const numbers = all.map(({ id }) => Number(id));
  expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
  expect((await list()).limit).toBe(limits.activitiesPerPage);
});

test('a line of the activity log is removed after ninety days', async () => {
  const { accounts } = server.services;
  const sweep = async () => {
    accounts.startSweeping();
    await accounts.stopSweeping();
  };
  const renewed = async () => list('', personOf(await signIn(server, 'keeper')).headers);
  const { total } = await list();
  clock.pass(limits.activityDays * dayMs);
  await sweep();
  expect((await renewed()).total).toBe(total);
  // The time of the sweeps moves once a minute.
  clock.pass(60_000);
  await sweep();
  expect((await renewed()).total).toBe(0);
});
