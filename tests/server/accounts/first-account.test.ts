import { describe, expect, test, vi } from 'vitest';
import { password, putAccount } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const stranger = { remoteAddress: '198.51.100.7' };

function register(
  server: ServerUnderTest,
  more: { remoteAddress?: string; headers?: Record<string, string>; code?: string; name?: string } = {},
) {
  const { name = 'first', code, ...options } = more;
  const payload = {
    username: name,
    email: `${name}@example.com`,
    password,
    ...(code === undefined ? {} : { setup_code: code }),
  };
  return server.call('POST', '/auth/register', { ...options, payload });
}

const codeOf = (server: ServerUnderTest) => server.services.accounts.setup.current() ?? '';

describe('the first account', () => {
  test.each([
    ['on the machine itself', {}],
    ['elsewhere', stranger],
    ['through a proxy on the machine', { headers: { 'x-forwarded-for': '203.0.113.1' } }],
    [
      'by a page of another host',
      { headers: { origin: 'https://videos.example.org', 'sec-fetch-site': 'same-origin' } },
    ],
  ])(
    'made %s takes the code that the terminal shows, and is an administrator’s; the second is not',
    async (_, from) => {
      const server = await startServer();
      expect(codeOf(server)).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
      const without = await register(server, from);
      expect([without.statusCode, without.json().details]).toEqual([
        400,
        [
          {
            field: 'setup_code',
            message: 'The first account is made with the set-up code that the terminal of the server shows',
          },
        ],
      ]);
      expect((await register(server, { ...from, code: 'BCDF-GHJK' })).json().details).toEqual([
        { field: 'setup_code', message: 'This is not the set-up code that the terminal shows' },
      ]);
      const right = codeOf(server).toLowerCase();
      const reply = await register(server, { ...from, code: right });
      expect([reply.statusCode, reply.json().user.effective_tier]).toEqual([201, 'admin']);
      expect((await register(server, { ...from, name: 'second', code: right })).json().user.effective_tier).toBe(
        'basic',
      );
      expect((await register(server, { ...from, name: 'third' })).json().user.effective_tier).toBe('basic');
    },
  );

  test('is one administrator’s when two are made at the same moment', async () => {
    const server = await startServer();
    const code = codeOf(server);
    const replies = await Promise.all(['one', 'two', 'three'].map((name) => register(server, { name, code })));
    expect(replies.map((reply) => reply.statusCode)).toEqual([201, 201, 201]);
    expect(replies.map((reply) => reply.json().user.effective_tier).sort()).toEqual(['admin', 'basic', 'basic']);
  });

  test('can be made where registration is closed, and no other', async () => {
    const server = await startServer({ env: { REGISTRATION: 'closed' } });
    expect((await server.get('/api/config')).json().features.registration).toBe(false);
    expect((await register(server, { code: codeOf(server) })).statusCode).toBe(201);
    const second = await register(server, { name: 'second' });
    expect([second.statusCode, second.json().error]).toEqual([403, 'registration_closed']);
  });
});

describe('the set-up code', () => {
  test('is one for all nodes, and gone once there is an account', async () => {
    const server = await startServer();
    const again = () =>
      startServer({
        env: { DATA_DIR: server.services.env.dataFolder, DATABASE_URL: server.services.env.databaseUrl ?? '' },
      });
    expect(codeOf(await again())).toBe(codeOf(server));
    await putAccount(server, 'somebody');
    expect((await again()).services.accounts.setup.current()).toBeNull();
  });

  test('that has run out after a day is followed by another one, which is told', async () => {
    const clock = settableClock();
    const server = await startServer({ overrides: { clock } });
    const { setup } = server.services.accounts;
    const [first, told] = [codeOf(server), vi.fn<(code: string) => void>()];
    setup.onRenewed(told);
    clock.pass(86_399_000);
    await setup.refresh();
    expect(told).not.toHaveBeenCalled();
    clock.pass(1_000);
    await setup.refresh();
    expect(told.mock.calls).toEqual([[codeOf(server)]]);
    expect((await register(server, { code: first })).json().details[0].message).toBe(
      'This is not the set-up code that the terminal shows',
    );
    expect((await register(server, { code: codeOf(server) })).statusCode).toBe(201);
  });

  test('that was guessed at twenty times is followed by another one', async () => {
    const server = await startServer();
    const { setup } = server.services.accounts;
    const [first, told] = [codeOf(server), vi.fn<(code: string) => void>()];
    setup.onRenewed(told);
    const guess = (number: number) => register(server, { remoteAddress: `198.51.100.${number}`, code: 'BCDF-GHJK' });
    for (let number = 0; number < 20; number += 1) expect((await guess(number)).statusCode).toBe(400);
    expect(codeOf(server)).toBe(first);
    expect((await guess(20)).statusCode).toBe(400);
    expect(told.mock.calls).toEqual([[codeOf(server)]]);
    expect(codeOf(server)).not.toBe(first);
    expect((await register(server, { code: first })).statusCode).toBe(400);
    expect((await register(server, { code: codeOf(server) })).statusCode).toBe(201);
  });

  test('stands in no log', async () => {
    const server = await startServer();
    const code = codeOf(server);
    expect(code).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    await register(server, { code });
    expect(server.logged()).not.toContain(code);
  });
});
