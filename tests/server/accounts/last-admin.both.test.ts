import { describe, expect, test } from 'vitest';
import type { Person } from '#tests/support/people.ts';
import { password, putAccount, putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';

const nextYear = new Date(Date.now() + 365 * 86_400_000);

type Act = (server: ServerUnderTest, by: Person, other: Person) => ReturnType<ServerUnderTest['call']>;

const lower: Act = (server, { headers }, { id }) =>
  server.call('PUT', `/users/admin/${id}/subscription`, { headers, payload: { tier: 'basic' } });
const giveEnd: Act = (server, { headers }, { id }) => {
  const payload = { tier: 'admin', expires_at: nextYear.toISOString() };
  return server.call('PUT', `/users/admin/${id}/subscription`, { headers, payload });
};
const remove: Act = (server, { headers }, { id }) => server.call('DELETE', `/users/admin/${id}`, { headers });
const leave: Act = (server, { headers }) => server.call('DELETE', '/users/profile', { headers, payload: { password } });

async function lastingAdmins({ services }: ServerUnderTest): Promise<string[]> {
  const rows = await services.database.reader
    .selectFrom('users')
    .select('username')
    .where('tier', '=', 'admin')
    .where('tier_expires_at', 'is', null)
    .execute();
  return rows.map(({ username }) => username);
}

describe('two administrators, of whom', () => {
  test.each<[string, Act, Act]>([
    ['each lowers the other', lower, lower],
    ['each gives the other an end', giveEnd, giveEnd],
    ['each deletes the other', remove, remove],
    ['each leaves', leave, leave],
    ['one leaves while the other is lowered', leave, lower],
  ])('%s at the same moment, are not both obeyed', async (_, first, second) => {
    const server = await startServer();
    const [one, two] = [await putPerson(server, 'one', 'admin'), await putPerson(server, 'two', 'admin')];
    // `leave` is about who calls, the others about the one who is named.
    const replies = await Promise.all([first(server, one, two), second(server, two, second === first ? one : two)]);
    const statuses = replies.map(({ statusCode }) => statusCode);
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    for (const status of statuses) if (status >= 300) expect([401, 403, 409]).toContain(status);
    expect(await lastingAdmins(server)).toHaveLength(1);
  });
});

test('an administrator with an end does not count as another one, and may be lowered', async () => {
  const server = await startServer();
  const keeper = await putPerson(server, 'keeper', 'admin');
  const dated = await putAccount(server, 'dated', 'admin', { tierExpiresAt: nextYear.getTime() });
  for (const act of [lower, giveEnd, remove, leave]) {
    const reply = await act(server, keeper, keeper);
    expect([reply.statusCode, reply.json().message]).toEqual([
      409,
      'This is the last administrator. Make somebody else one first.',
    ]);
  }
  expect((await lower(server, keeper, { ...keeper, id: dated })).statusCode).toBe(200);
  expect(await lastingAdmins(server)).toEqual(['keeper']);
});
