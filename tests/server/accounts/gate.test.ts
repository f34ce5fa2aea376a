import { request } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { siteRefusalSchema } from '#contract/entities/account.ts';
import { errorReplySchema } from '#contract/entities/error-reply.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putFile } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const dayMs = 86_400_000;
const sitePassword = 'open sesame ✓';
const clock = settableClock();
const app = temporaryFolder(afterFile);
for (const name of ['index.html', 'sw.js', 'manifest.webmanifest', 'assets/app.js', 'icons/icon-192.png'])
  putFile(app, name, name);

/** What two servers of one site share. */
const shared = await migratedSite(afterFile);
const access = { REQUEST_ACCESS_PLATFORM: 'Discord', REQUEST_ACCESS_URL: 'https://discord.example/invite' };
const start = (env: Record<string, string> = {}) =>
  startServer(
    { env: { ...shared, ...access, SITE_PASSWORD: sitePassword, ...env }, overrides: { clock, folders: { app } } },
    afterFile,
  );
const server = await start();

let visitor = 0;
beforeEach(() => {
  visitor += 1;
});

function enter(password: unknown, on: ServerUnderTest = server, remoteAddress = `198.51.100.${visitor}`) {
  return on.call('POST', '/api/password-auth', { payload: { password }, remoteAddress });
}

async function gateCookie(on: ServerUnderTest = server): Promise<string> {
  return String((await enter(sitePassword, on)).headers['set-cookie']).split(';')[0] ?? '';
}

async function isOpenTo(cookie: string, on: ServerUnderTest = server): Promise<boolean> {
  return (await on.get('/api/config', { cookie })).statusCode === 200;
}

describe('a closed site', () => {
  test('says where to ask for the password', async () => {
    const reply = await server.get('/api/config');
    expect(reply.statusCode).toBe(401);
    expect(errorReplySchema.parse(reply.json())).toEqual({
      error: 'site_password_required',
      message: 'This site requires a password.',
      details: { request_access: { platform: 'Discord', url: 'https://discord.example/invite' } },
    });
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test.each([
    '/',
    '/?setup=BCDF-GHJK',
    '/?invitation=a-token',
    '/index.html',
    '/sw.js',
    '/manifest.webmanifest',
    '/assets/app.js',
    '/icons/icon-192.png',
    '/whats-new.md',
    '/healthz',
    '/readyz',
  ])('shows %s to everybody', async (url) => {
    expect((await server.get(url)).statusCode).toBe(200);
  });

  test.each([
    ['GET', '/api/video/stream?path=a.mp4'],
    ['HEAD', '/api/video/stream?path=a.mp4'],
    ['GET', '/api/videos/x/poster'],
    ['OPTIONS', '/api/tags'],
    ['HEAD', '/api/config'],
    ['DELETE', '/api/config'],
    ['GET', '/api/nowhere'],
    ['GET', '//api/config'],
    ['GET', '/API/config'],
    ['GET', '/api/./config'],
    ['GET', '/x/../api/config'],
    ['GET', '/api/config.'],
    ['GET', '/%61pi/config'],
    ['GET', '/%2561pi/config'],
    ['GET', '/api%2fconfig'],
    ['GET', '/api\\config'],
    ['POST', '/auth/login'],
    ['POST', '/auth/invitation'],
    ['GET', '/users/profile'],
    ['GET', '/users/x/avatar'],
  ] as const)('is closed to %s %s', async (method, url) => {
    const reply = await server.call(method, url);
    expect(reply.statusCode).toBe(401);
    if (method !== 'HEAD') expect(reply.json().error).toBe('site_password_required');
  });

  test('is closed to an address in absolute form, and whatever a header says of the method or the path', async () => {
    const address = await server.app.listen({ host: '127.0.0.1', port: 0 });
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    const { hostname, port } = new URL(address);
    request({ hostname, port, path: `${address}/api/config` }, (answer) => resolve(answer.resume().statusCode))
      .on('error', reject)
      .end();
    expect(await promise).toBe(401);
    const headers = { 'x-http-method-override': 'OPTIONS', 'x-original-url': '/healthz', 'x-rewrite-url': '/healthz' };
    expect((await server.get('/api/status', headers)).statusCode).toBe(401);
  });

  test('is closed to people who are signed in as well', async () => {
    const open = await start({ SITE_PASSWORD: '' });
    const { headers } = await putPerson(open, 'member', 'admin');
    expect((await open.get('/auth/me', headers)).statusCode).toBe(200);
    const reply = await server.get('/auth/me', headers);
    expect([reply.statusCode, reply.json().error]).toEqual([401, 'site_password_required']);
  });
});

describe('the site password', () => {
  test('opens the site for thirty days, by a cookie that scripts cannot read', async () => {
    const reply = await enter(sitePassword);
    expect([reply.statusCode, reply.json()]).toEqual([200, { success: true }]);
    const set = String(reply.headers['set-cookie']);
    expect(set).toMatch(/^gate=v1\.[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const cookie = set.split(';')[0] ?? '';
    expect(await isOpenTo(cookie)).toBe(true);
    clock.pass(30 * dayMs - 1);
    expect(await isOpenTo(cookie)).toBe(true);
    clock.pass(1);
    expect(await isOpenTo(cookie)).toBe(false);
  });

  const renewedBy = async (cookie: string, url = '/api/config') =>
    /gate=[^;]+/.exec(String((await server.get(url, { cookie })).headers['set-cookie']))?.[0];

  test('stays open to a screen that comes back on the 29th day, for 30 more', async () => {
    const first = await gateCookie();
    clock.pass(29 * dayMs);
    const second = (await renewedBy(first)) ?? '';
    clock.pass(30 * dayMs - 1);
    expect([await isOpenTo(first), await isOpenTo(second)]).toEqual([false, true]);
  });

  test('stays open to whoever goes on using the site, by a cookie that is renewed once a day', async () => {
    const first = await gateCookie();
    clock.pass(dayMs);
    expect(await renewedBy(first)).toBeUndefined();
    clock.pass(1);
    expect(await renewedBy(first, '/api/video/stream?path=none.mp4')).toBeUndefined();
    const second = (await renewedBy(first)) ?? '';
    expect(second).not.toBe(first);
    clock.pass(30 * dayMs - 2);
    expect(await isOpenTo(first)).toBe(false);
    expect(await isOpenTo(second)).toBe(true);
    expect(await renewedBy('gate=v1.0.1.forged')).toBeUndefined();
  });

  test('that is wrong is refused in the words of its form', async () => {
    for (const wrong of ['open sesame', 'Open Sesame ✓', `${sitePassword} `, 'o']) {
      const reply = await enter(wrong);
      expect(reply.statusCode).toBe(401);
      expect(siteRefusalSchema.parse(reply.json())).toEqual({
        success: false,
        error: 'Invalid password',
        message: 'Invalid password',
      });
      expect(reply.headers['set-cookie']).toBeUndefined();
    }
  });

  test.each([
    ['nothing', '', 400, 'Password is required'],
    ['a list', ['open'], 400, 'This must be text'],
    ['a long text', 'x'.repeat(2_000), 400, 'Password must be at most 1024 bytes'],
    ['a megabyte', 'x'.repeat(1_100_000), 413, 'This is more than can be taken.'],
  ])('that is %s is refused before it is compared', async (_, password, status, message) => {
    const reply = await enter(password);
    expect([reply.statusCode, reply.json().message]).toEqual([status, message]);
  });

  test('cannot be guessed: ten tries a minute from one address, whatever a proxy header says, on all servers together', async () => {
    const second = await start();
    const from = '198.51.100.200';
    for (let tries = 0; tries < 10; tries += 1)
      expect((await enter('guess', tries % 2 === 0 ? server : second, from)).statusCode).toBe(401);
    const right = await enter(sitePassword, second, from);
    expect([right.statusCode, right.json().error]).toEqual([429, 'rate_limited']);
    expect(Number(right.headers['retry-after'])).toBeGreaterThan(0);
    const forged = await server.call('POST', '/api/password-auth', {
      payload: { password: sitePassword },
      remoteAddress: from,
      headers: { 'x-forwarded-for': '203.0.113.77', 'x-real-ip': '203.0.113.77' },
    });
    expect(forged.statusCode).toBe(429);
    clock.pass(60_000);
    expect((await enter(sitePassword, server, from)).statusCode).toBe(200);
  });

  test('counts the addresses of one IPv6 customer as one', async () => {
    for (let tries = 0; tries < 10; tries += 1) await enter('guess', server, `2001:db8:1:2::${tries + 1}`);
    expect((await enter('guess', server, '2001:db8:1:2:ffff::1')).statusCode).toBe(429);
    expect((await enter('guess', server, '2001:db8:1:3::1')).statusCode).toBe(401);
  });

  test('lets who is right in while strangers guess from everywhere, and browsers that are in notice nothing', async () => {
    clock.pass(60_000);
    const cookie = await gateCookie();
    for (let network = 1; network <= 40; network += 1)
      for (let tries = 1; tries <= 11; tries += 1)
        expect((await enter('guess', server, `10.9.${network}.7`)).statusCode).toBeOneOf([401, 429]);
    expect((await enter(sitePassword, server, '192.0.2.44')).statusCode).toBe(200);
    expect(await isOpenTo(cookie)).toBe(true);
  });

  test('allows fewer tries at each address while many guess at once', async () => {
    clock.pass(600_000);
    for (let network = 1; network <= 31; network += 1)
      for (let tries = 1; tries <= 10; tries += 1) await enter('guess', server, `10.8.${network}.7`);
    const statuses: number[] = [];
    for (let tries = 1; tries <= 4; tries += 1) statuses.push((await enter('guess', server, '192.0.2.45')).statusCode);
    expect(statuses).toEqual([401, 401, 401, 429]);
    clock.pass(600_000);
    expect((await enter('guess', server, '192.0.2.45')).statusCode).toBe(401);
  });

  test('counts the addresses of one owner together', async () => {
    clock.pass(600_000);
    for (let host = 1; host <= 6; host += 1)
      for (let tries = 1; tries <= 10; tries += 1) await enter('guess', server, `10.7.1.${host}`);
    expect((await enter('guess', server, '10.7.1.99')).statusCode).toBe(429);
    expect((await enter('guess', server, '10.7.2.99')).statusCode).toBe(401);
  });

  test('may be typed right by any number of people behind one address', async () => {
    for (let person = 1; person <= 30; person += 1)
      expect((await enter(sitePassword, server, '10.6.1.1')).statusCode).toBe(200);
  });

  test('ends what was opened when it is changed', async () => {
    const cookie = await gateCookie();
    const changed = await start({ SITE_PASSWORD: 'another one' });
    expect(await isOpenTo(cookie, changed)).toBe(false);
    expect(await isOpenTo(cookie)).toBe(true);
  });

  test('need not be said again when the clock is set back by an hour, or on a server whose clock is behind', async () => {
    const cookie = await gateCookie();
    clock.jump(-3_600_000);
    expect(await isOpenTo(cookie)).toBe(true);
    clock.jump(3_600_000);
  });

  test('opens nothing by a cookie of another making', async () => {
    const cookie = await gateCookie();
    const [, value = ''] = cookie.split('=');
    const [version, , ...signature] = value.split('.');
    const later = (clock.now() + 1_000).toString(36);
    const forged = [
      '',
      'v1',
      value.slice(0, -2),
      `${version}.${later}.${signature.join('.')}`,
      value.replace('v1', 'v0'),
      `${value}.x`,
      'true',
    ];
    for (const one of forged) expect([one, await isOpenTo(`gate=${one}`)]).toEqual([one, false]);
    const other = await startServer({ env: { SITE_PASSWORD: sitePassword }, overrides: { clock } });
    expect(await isOpenTo(cookie, other)).toBe(false);
  });
});

describe('an open site', () => {
  test('takes any password, and asks for none', async () => {
    const open = await startServer();
    expect((await open.get('/api/config')).statusCode).toBe(200);
    expect((await open.call('POST', '/api/password-auth', { payload: { password: 'x' } })).json()).toEqual({
      success: true,
    });
  });
});

test('the news are shown on a closed site, and are the operator’s own where there are some', async () => {
  putFile(shared.DATA_DIR, 'whats-new.md', '# Ours');
  expect((await server.get('/whats-new.md')).body).toBe('# Ours');
});
