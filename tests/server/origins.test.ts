import { afterAll, describe, expect, test } from 'vitest';
import { putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';

const server = await startServer({}, afterAll);
const admin = await putPerson(server, 'chief', 'admin');
const own = { host: 'videos.example.org' };
/** Behind a proxy, under an address that the operator has named. */
const proxied = await startServer({ env: { PUBLIC_URL: 'https://videos.example.org/' } }, afterAll);

describe('a write', () => {
  test.each([
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page that says it is nobody’s', { origin: 'null' }],
    ['a look-alike', { origin: 'https://videos.example.org.evil.example' }],
    ['a sister host', { origin: 'https://other.example.org', 'sec-fetch-site': 'same-site' }],
    ['another port of the host', { origin: 'https://videos.example.org:8443' }],
    ['a page of another site whose browser tells', { 'sec-fetch-site': 'cross-site' }],
    ['a form of another site', { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form that pretends to be JSON', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
  ])('from %s is refused before anything else', async (_, headers) => {
    for (const [method, url] of [
      ['POST', '/auth/login'],
      ['POST', '/api/refresh'],
      ['PUT', '/users/profile'],
      ['DELETE', '/auth/sessions/x'],
      ['POST', '/nowhere'],
    ] as const) {
      const reply = await server.call(method, url, { headers: { ...own, ...admin.headers, ...headers }, payload: '{}' });
      expect([method, url, reply.statusCode, reply.json().error]).toEqual([method, url, 403, 'forbidden']);
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test.each([
    ['the site’s own page', { origin: 'https://videos.example.org', 'sec-fetch-site': 'same-origin' }],
    ['the own page in a browser that tells nothing more', { origin: 'https://videos.example.org' }],
    ['a program', {}],
  ])('from %s is taken', async (_, headers) => {
    expect((await server.call('POST', '/api/refresh', { headers: { ...own, ...admin.headers, ...headers } })).statusCode).toBe(202);
  });

  test('from the configured address is taken behind a proxy that names another host', async () => {
    await putAccount(proxied, 'mara');
    const headers = { host: '10.0.0.5:4400', origin: 'https://videos.example.org' };
    expect((await signIn(proxied, 'mara', { headers })).statusCode).toBe(200);
    expect((await signIn(proxied, 'mara', { headers: { ...headers, origin: 'http://videos.example.org' } })).statusCode).toBe(403);
  });
});

test.each(['https://evil.example', 'null', 'https://videos.example.org'])('no answer allows the page of %s to read it', async (origin) => {
  for (const [method, url] of [
    ['GET', '/api/config'],
    ['GET', '/users/profile'],
    ['OPTIONS', '/auth/login'],
    ['GET', '/nowhere'],
  ] as const) {
    const { headers } = await server.call(method, url, { headers: { ...own, origin, 'access-control-request-method': 'POST' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

test('the address that people are sent to is the configured one, whatever name the request came by', async () => {
  const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
  const reply = await proxied.call('POST', '/auth/device', { headers });
  expect(reply.json().verification_url).toBe('https://videos.example.org/');
  expect(JSON.stringify([reply.headers, reply.body])).not.toContain('evil.example');
});

describe('a list of hosts', () => {
  test('leaves every other name unanswered, whatever a client says of proxies', async () => {
    const named = await startServer({ env: { ALLOWED_HOSTS: 'nas.local, 192.168.1.5', PUBLIC_URL: 'https://videos.example.org' } });
    for (const host of ['nas.local', 'NAS.local:4400', '192.168.1.5:4400', 'localhost:4400', '127.0.0.1', '[::1]:4400', 'videos.example.org'])
      expect([host, (await named.get('/api/config', { host })).statusCode]).toEqual([host, 200]);
    for (const host of ['evil.example', 'nas.local.evil.example', '192.168.1.6'])
      expect([host, (await named.get('/api/config', { host, 'x-forwarded-host': 'nas.local' })).statusCode]).toEqual([host, 421]);
    expect((await named.get('/api/config', { host: 'evil.example' })).json().error).toBe('bad_host');
    expect((await named.get('/healthz', { host: '10.1.2.3' })).statusCode).toBe(200);
  });

  test('is not needed: without one, every name is answered', async () => {
    expect((await server.get('/api/config', { host: 'anything.example' })).statusCode).toBe(200);
  });
});

describe('what a proxy says', () => {
  const claims = { 'x-forwarded-for': '203.0.113.1, 198.51.100.9', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'videos.example.org' };
  const enter = { payload: { identifier: 'nobody', password: 'x' }, headers: claims };

  test('is not believed unless the operator says that there is one', async () => {
    const cookie = String((await server.get('/api/config', claims)).headers['set-cookie']);
    expect(cookie).not.toMatch(/secure/i);
    for (let tries = 0; tries < 61; tries += 1)
      await server.call('POST', '/auth/login', { ...enter, remoteAddress: '198.51.100.1', headers: { 'x-forwarded-for': `203.0.113.${tries}` } });
    expect((await server.call('POST', '/auth/login', { ...enter, remoteAddress: '198.51.100.1' })).statusCode).toBe(429);
  });

  test('is believed of the one proxy in front, and not of what that one was told', async () => {
    const proxied = await startServer({ env: { TRUST_PROXY: 'on' } });
    await putAccount(proxied, 'mara');
    const session = (await signIn(proxied, 'mara', { headers: claims })).headers['set-cookie'];
    expect(String(session)).toMatch(/__Host-session=[^;]+;[^,]*Secure/);
    for (let tries = 0; tries < 60; tries += 1)
      await proxied.call('POST', '/auth/login', { ...enter, headers: { ...claims, 'x-forwarded-for': `203.0.113.${tries}, 198.51.100.9` } });
    expect((await proxied.call('POST', '/auth/login', enter)).statusCode).toBe(429);
  });
});
