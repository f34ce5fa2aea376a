import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { errorReplySchema } from '#contract/entities/error-reply.ts';
import { putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({ env: { ALLOWED_HOSTS: 'videos.example.org' } }, afterFile);
const admin = await putPerson(server, 'chief', 'admin');
const own = { host: 'videos.example.org' };
/** Behind a proxy, under an address that the operator has named. */
const proxied = await startServer({ env: { PUBLIC_URL: 'https://videos.example.org/' } }, afterFile);

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
      const reply = await server.call(method, url, {
        headers: { ...own, ...admin.headers, ...headers },
        payload: '{}',
      });
      expect([method, url, reply.statusCode, reply.json().error]).toEqual([method, url, 403, 'forbidden']);
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  test.each([
    ['the site’s own page', { origin: 'https://videos.example.org', 'sec-fetch-site': 'same-origin' }],
    ['the own page in a browser that tells nothing more', { origin: 'https://videos.example.org' }],
    ['a program', {}],
  ])('from %s is taken', async (_, headers) => {
    expect(
      (await server.call('POST', '/api/refresh', { headers: { ...own, ...admin.headers, ...headers } })).statusCode,
    ).toBe(202);
  });

  test('from the configured address is taken behind a proxy that names another host', async () => {
    await putAccount(proxied, 'mara');
    const headers = { host: '10.0.0.5:4400', origin: 'https://videos.example.org' };
    expect((await signIn(proxied, 'mara', { headers })).statusCode).toBe(200);
    expect(
      (await signIn(proxied, 'mara', { headers: { ...headers, origin: 'http://videos.example.org' } })).statusCode,
    ).toBe(403);
  });
});

test.each(['https://evil.example', 'null', 'https://videos.example.org'])(
  'no answer allows the page of %s to read it',
  async (origin) => {
    for (const [method, url] of [
      ['GET', '/api/config'],
      ['GET', '/users/profile'],
      ['OPTIONS', '/auth/login'],
      ['GET', '/nowhere'],
    ] as const) {
      const { headers } = await server.call(method, url, {
        headers: { ...own, origin, 'access-control-request-method': 'POST' },
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  },
);

test('the address that people are sent to is the configured one, whatever name the request came by', async () => {
  const headers = { host: 'nas.local', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
  const reply = await proxied.call('POST', '/auth/device', { headers });
  expect(reply.json().verification_url).toBe('https://videos.example.org/');
  expect(JSON.stringify([reply.headers, reply.body])).not.toContain('evil.example');
});

describe('a list of hosts', () => {
  test('leaves every other name unanswered, whatever a client says of proxies', async () => {
    const named = await startServer({
      env: { ALLOWED_HOSTS: 'nas.local, 192.168.1.5', PUBLIC_URL: 'https://videos.example.org' },
    });
    for (const host of [
      'nas.local',
      'NAS.local:4400',
      '192.168.1.5:4400',
      'localhost:4400',
      '127.0.0.1',
      '[::1]:4400',
      'videos.example.org',
    ])
      expect([host, (await named.get('/api/config', { host })).statusCode]).toEqual([host, 200]);
    for (const host of ['evil.example', 'nas.local.evil.example', '192.168.1.6'])
      expect([host, (await named.get('/api/config', { host, 'x-forwarded-host': 'nas.local' })).statusCode]).toEqual([
        host,
        421,
      ]);
    expect((await named.get('/api/config', { host: 'evil.example' })).json().error).toBe('bad_host');
    expect((await named.get('/healthz', { host: '10.1.2.3' })).statusCode).toBe(200);
  });

  test('is not needed at home: without one, addresses and names that nobody else can own are answered', async () => {
    const open = await startServer({
      env: { PUBLIC_URL: 'https://videos.example.org', TLS: 'local', TLS_NAMES: 'nas.fritz.box' },
    });
    const own = [
      '192.168.1.5:4400',
      '8.8.8.8',
      '[2001:db8::1]:4400',
      'localhost',
      'LocalHost:4400',
      'nas',
      'nas.local',
      'nas.local.',
      'nas.lan',
      'tv.home.arpa',
    ];
    for (const host of [
      ...own,
      'videos.internal',
      'nas.fritz.box',
      'videos.example.org',
      hostname(),
      `${hostname().split('.')[0]}.local`,
    ])
      expect([host, (await open.get('/api/config', { host })).statusCode]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      'nas.local.evil.example',
      'fritz.box',
      '192.168.1.5.evil.example',
      'nas.local:x@evil.example',
      'a b',
      '<b>.local',
    ])
      expect([host, (await open.get('/api/config', { host })).statusCode]).toEqual([host, 421]);
  });

  test('is named, with the line for .env, to whoever comes by another name', async () => {
    const open = await startServer();
    const host = 'videos.example.org';
    const call = await open.get('/api/config', { host });
    expect(errorReplySchema.parse(call.json())).toMatchObject({
      error: 'bad_host',
      message: expect.stringContaining('ALLOWED_HOSTS=videos.example.org'),
    });
    for (const headers of [{ accept: 'text/html,*/*' }, { 'sec-fetch-mode': 'navigate', accept: '*/*' }] as Record<
      string,
      string
    >[]) {
      const page = await open.get('/', { host, ...headers });
      expect([page.statusCode, page.headers['content-type'], page.headers['cache-control']]).toEqual([
        421,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.body).toContain('ALLOWED_HOSTS=videos.example.org');
    }
    expect(open.logged()).toContain('ALLOWED_HOSTS=videos.example.org');
  });

  test('never repeats what is no name', async () => {
    const open = await startServer();
    for (const host of [
      '<script>alert(1)</script>.example',
      `${'a'.repeat(5_000)}.example`,
      '"><img src=x>.example',
      'x\u2028.example',
    ]) {
      const page = await open.get('/', { host, accept: 'text/html' });
      expect(page.statusCode).toBe(421);
      expect(page.body.length).toBeLessThan(4_000);
      expect(page.body).not.toContain(host);
      expect(page.body).not.toContain('<img');
      expect((await open.get('/api/config', { host })).body.length).toBeLessThan(500);
    }
  });
});

describe('what a proxy says', () => {
  const claims = {
    'x-forwarded-for': '203.0.113.1, 198.51.100.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'videos.example.org',
  };
  const enter = { payload: { identifier: 'nobody', password: 'x' }, headers: claims };

  test('is not believed unless the operator says that there is one', async () => {
    const cookie = String((await server.get('/api/config', claims)).headers['set-cookie']);
    expect(cookie).not.toMatch(/secure/i);
    for (let tries = 0; tries < 61; tries += 1)
      await server.call('POST', '/auth/login', {
        ...enter,
        remoteAddress: '198.51.100.1',
        headers: { 'x-forwarded-for': `203.0.113.${tries}` },
      });
    expect((await server.call('POST', '/auth/login', { ...enter, remoteAddress: '198.51.100.1' })).statusCode).toBe(
      429,
    );
  });

  test('is believed of a proxy on this machine, and not of what that one was told', async () => {
    const proxied = await startServer({ env: { TRUST_PROXY: 'on', ALLOWED_HOSTS: 'videos.example.org' } });
    await putAccount(proxied, 'mara');
    const session = (await signIn(proxied, 'mara', { headers: claims })).headers['set-cookie'];
    expect(String(session)).toMatch(/__Host-session=[^;]+;[^,]*Secure/);
    for (let tries = 0; tries < 60; tries += 1)
      await proxied.call('POST', '/auth/login', {
        ...enter,
        headers: { ...claims, 'x-forwarded-for': `203.0.113.${tries}, 198.51.100.9` },
      });
    expect((await proxied.call('POST', '/auth/login', enter)).statusCode).toBe(429);
  });

  test.each([
    ['off', '127.0.0.1', false],
    ['on', '127.0.0.1', true],
    ['on', '::1', true],
    ['on', '::ffff:127.0.0.1', true],
    ['on', '10.0.0.2', false],
    ['10.0.0.2', '10.0.0.2', true],
    ['10.0.0.2', '::ffff:10.0.0.2', true],
    ['10.0.0.2', '10.0.0.3', false],
    ['10.0.0.2', '127.0.0.1', false],
    ['172.16.0.0/12, fd00::/8', '172.18.0.5', true],
    ['172.16.0.0/12, fd00::/8', 'fd00::5', true],
    ['172.16.0.0/12, fd00::/8', '192.168.0.5', false],
  ])('with TRUST_PROXY=%s, from %s, is believed: %j', async (TRUST_PROXY, remoteAddress, isBelieved) => {
    const proxied = await startServer({ env: { TRUST_PROXY } });
    const reply = await proxied.call('GET', '/api/config', {
      remoteAddress,
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' },
    });
    expect(String(reply.headers['set-cookie']).includes('Secure')).toBe(isBelieved);
    const host = await proxied.call('GET', '/api/config', {
      remoteAddress,
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    expect(host.statusCode).toBe(isBelieved ? 421 : 200);
    expect(proxied.logged().includes('TRUST_PROXY does not name')).toBe(!isBelieved);
  });

  test('goes through several proxies that are named', async () => {
    const proxied = await startServer({ env: { TRUST_PROXY: '127.0.0.1,10.0.0.2' } });
    const enterAs = async (name: string, forwarded: string) =>
      (
        await proxied.call('POST', '/auth/login', {
          payload: { identifier: name, password: 'x' },
          headers: { 'x-forwarded-for': forwarded },
        })
      ).statusCode;
    for (let tries = 0; tries < 60; tries += 1)
      await enterAs(`nobody-${tries}`, `203.0.113.${tries}, 198.51.100.9, 10.0.0.2:${5_000 + tries}`);
    expect(await enterAs('nobody-60', '198.51.100.9')).toBe(429);
    expect(await enterAs('nobody-61', '198.51.100.8')).toBe(401);
  });

  test.each([
    ['with a port', (tries: number) => `198.51.100.9:${40_000 + tries}`],
    ['of IPv6, in brackets', (tries: number) => `[2001:db8:1:2::${tries}]:${40_000 + tries}`],
    [
      'of IPv6, written in another way',
      (tries: number) =>
        ['2001:db8:1:2::7', '2001:0DB8:0001:0002::7', '[2001:db8:1:2::7]', '2001:db8:1:2:0:0:0:7'][tries % 4] ?? '',
    ],
    [
      'of IPv4, mapped',
      (tries: number) =>
        ['::ffff:198.51.100.9', '[::ffff:c633:6409]:1', '0:0:0:0:0:ffff:198.51.100.9', '198.51.100.9'][tries % 4] ?? '',
    ],
    ['that is none', (tries: number) => `_hidden${tries}`],
  ])('counts an address %s as one', async (_, write) => {
    const proxied = await startServer({ env: { TRUST_PROXY: 'on' } });
    const statuses: number[] = [];
    for (let tries = 0; tries < 61; tries += 1)
      statuses.push(
        (
          await proxied.call('POST', '/auth/login', {
            ...enter,
            payload: { identifier: `nobody-${tries}`, password: 'x' },
            headers: { 'x-forwarded-for': write(tries) },
          })
        ).statusCode,
      );
    expect(statuses.slice(0, 60).every((status) => status === 401)).toBe(true);
    expect(statuses[60]).toBe(429);
  });

  test('about the host lets nobody in who calls the proxy by a name of their own', async () => {
    const proxied = await startServer({ env: { TRUST_PROXY: 'on', ALLOWED_HOSTS: 'videos.example.org' } });
    const ask = async (headers: Record<string, string>) => (await proxied.get('/api/config', headers)).statusCode;
    expect(await ask({ host: '127.0.0.1:4400', 'x-forwarded-host': 'videos.example.org' })).toBe(200);
    expect(await ask({ host: 'videos.example.org' })).toBe(200);
    expect(await ask({ host: '127.0.0.1:4400', 'x-forwarded-host': 'evil.example' })).toBe(421);
    expect(await ask({ host: 'evil.example', 'x-forwarded-host': 'videos.example.org' })).toBe(421);
    expect(await ask({ host: '127.0.0.1:4400', 'x-forwarded-host': 'videos.example.org, evil.example' })).toBe(421);
  });
});
