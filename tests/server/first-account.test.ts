import { describe, expect, test } from 'vitest';
import { password, putAccount } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';

const stranger = { remoteAddress: '198.51.100.7' };

function register(server: ServerUnderTest, more: { remoteAddress?: string; headers?: Record<string, string>; code?: string; name?: string } = {}) {
  const { name = 'first', code, ...options } = more;
  const payload = { username: name, email: `${name}@example.com`, password, ...(code === undefined ? {} : { setup_code: code }) };
  return server.call('POST', '/auth/register', { ...options, payload });
}

describe('the first account', () => {
  test('made on the machine itself is an administrator’s, and the second is not', async () => {
    const server = await startServer();
    expect(server.services.people.setupCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect((await register(server)).json().user.effective_tier).toBe('admin');
    expect((await register(server, { name: 'second' })).json().user.effective_tier).toBe('basic');
  });

  test('made elsewhere takes the code that the terminal shows', async () => {
    const server = await startServer();
    const without = await register(server, stranger);
    expect([without.statusCode, without.json().details[0].field]).toEqual([400, 'setup_code']);
    expect((await register(server, { ...stranger, code: 'BCDF-GHJK' })).json().details).toEqual([
      { field: 'setup_code', message: 'This is not the set-up code that the terminal shows' },
    ]);
    const right = String(server.services.people.setupCode).toLowerCase();
    const reply = await register(server, { ...stranger, code: right });
    expect([reply.statusCode, reply.json().user.effective_tier]).toEqual([201, 'admin']);
    expect((await register(server, { ...stranger, name: 'second', code: right })).json().user.effective_tier).toBe('basic');
  });

  test('is not made on the machine itself through a proxy, nor by a page of another host', async () => {
    const server = await startServer();
    const ways: Record<string, string>[] = [
      { 'x-forwarded-for': '203.0.113.1' },
      { via: '1.1 proxy' },
      { host: 'videos.example.org' },
      { origin: 'https://videos.example.org', 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of ways) expect((await register(server, { headers })).json().details[0].field).toBe('setup_code');
  });

  test('is one administrator’s when two are made at the same moment', async () => {
    const server = await startServer();
    const replies = await Promise.all(['one', 'two', 'three'].map((name) => register(server, { name })));
    expect(replies.map((reply) => reply.json().user.effective_tier).sort()).toEqual(['admin', 'basic', 'basic']);
  });

  test('can be made where registration is closed, and no other', async () => {
    const server = await startServer({ env: { REGISTRATION: 'closed' } });
    expect((await server.get('/api/config')).json().features.registration).toBe(false);
    expect((await register(server)).statusCode).toBe(201);
    const second = await register(server, { name: 'second' });
    expect([second.statusCode, second.json().error]).toEqual([403, 'registration_closed']);
  });
});

test('the code is one for all nodes, and gone once there is an account', async () => {
  const server = await startServer();
  const again = () => startServer({ env: { DATA_DIR: server.services.env.dataFolder, DATABASE_URL: server.services.env.databaseUrl ?? '' } });
  expect((await again()).services.people.setupCode).toBe(server.services.people.setupCode);
  await putAccount(server, 'somebody');
  expect((await again()).services.people.setupCode).toBeNull();
});
