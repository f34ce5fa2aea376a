import { describe, expect, test } from 'vitest';
import * as endpoints from '#contract/endpoints.ts';
import { errorReplySchema } from '#contract/entities/error-reply.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { toFastifyPath } from '#server/http/pipeline/route.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);

describe('a refusal', () => {
  test.each([
    ['GET', '/nowhere', 404, 'not_found'],
    ['GET', '/feed', 404, 'not_found'],
    ['POST', '/nowhere', 404, 'not_found'],
    ['GET', '/api/nowhere', 404, 'not_found'],
    ['GET', '/API/config', 404, 'not_found'],
    ['DELETE', '/api/config', 405, 'method_not_allowed'],
    ['OPTIONS', '/api/config', 405, 'method_not_allowed'],
    ['GET', '/api/refresh', 405, 'method_not_allowed'],
    ['GET', '/api/video/top-left?tag_ids=%ff', 400, 'bad_request'],
    ['GET', '/api/video/%ff', 400, 'bad_request'],
    ['GET', `/api/video/${'x'.repeat(6_001)}`, 400, 'bad_request'],
    ['POST', '/api/refresh', 401, 'unauthorized'],
  ] as const)('of %s %s is JSON in the usual shape', async (method, url, status, error) => {
    const reply = await server.call(method, url, { headers: { accept: 'text/html' } });
    expect(reply.statusCode).toBe(status);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(errorReplySchema.parse(reply.json()).error).toBe(error);
  });

  test('of a method names those that there are', async () => {
    expect((await server.call('DELETE', '/api/config')).headers.allow).toBe('GET, HEAD');
    expect((await server.call('PUT', '/api/config/update')).headers.allow).toBe('POST');
  });

  test.each([
    ['JSON that is none', 'application/json', '{"a":', 400, 'bad_request'],
    ['JSON that reaches for prototypes', 'application/json', '{"__proto__":{"isAdmin":true}}', 400, 'bad_request'],
    ['an empty body', 'application/json', '', 400, 'bad_request'],
    ['another type', 'text/plain', 'a', 415, 'unsupported_media_type'],
    ['a form', 'application/x-www-form-urlencoded', 'a=b', 415, 'unsupported_media_type'],
    ['more than a mebibyte', 'application/json', JSON.stringify('a'.repeat(1_048_577)), 413, 'too_large'],
  ])('of %s says so', async (_, type, payload, status, error) => {
    const admin = await startServer({
      overrides: { identifyCaller: async () => callerFor({ userId: 'u', tier: 'admin' }) },
    });
    const reply = await admin.call('POST', '/api/config/update', { headers: { 'content-type': type }, payload });
    expect([reply.statusCode, reply.json().error]).toEqual([status, error]);
  });
});

test('a call without a body is taken although its client says that it is JSON', async () => {
  const admin = await startServer({
    overrides: { identifyCaller: async () => callerFor({ userId: 'u', tier: 'admin' }) },
  });
  for (const payload of ['', undefined]) {
    const reply = await admin.call('POST', '/api/clear-cache', {
      headers: { 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload }),
    });
    expect([reply.statusCode, reply.json().success]).toEqual([200, true]);
  }
});

test('an error that nobody expected shows nothing of itself, and is written down', async () => {
  const overrides = {
    identifyCaller: async () => {
      throw new Error('select * from /var/lib/secret');
    },
  };
  const failing = await startServer({ overrides });
  const reply = await failing.get('/api/config');
  expect(reply.statusCode).toBe(500);
  expect(reply.json()).toEqual({
    error: 'internal',
    message: 'Something went wrong on the server.',
    request_id: reply.headers['x-request-id'],
  });
  expect(failing.logged()).toContain('/var/lib/secret');
});

test('every answer carries a request id of its own, whatever the client sends', async () => {
  const ids = new Set<unknown>();
  for (const url of ['/api/config', '/nowhere', '/api/video/stream?path=x', '/healthz'])
    ids.add((await server.get(url, { 'x-request-id': 'mine' })).headers['x-request-id']);
  expect(ids.size).toBe(4);
  expect(ids).not.toContain('mine');
});

test('the log has the path of a call without its query, and no cookie or token', async () => {
  await server.get('/api/video/top-left?tag_ids=private&signature=abcdef', {
    authorization: 'Bearer t0ken',
    cookie: 'viewer=c00kie',
    accesskey: 'k3y',
  });
  const line = server
    .logged()
    .split('\n')
    .find((text) => text.includes('/api/video/top-left'));
  expect(line).toContain('"method":"GET"');
  expect(server.logged()).not.toMatch(/private|abcdef|t0ken|c00kie|k3y/);
});

test('every answer says what the page may load', async () => {
  const { headers } = await server.get('/api/config');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("media-src 'self' blob:");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("require-trusted-types-for 'script';trusted-types fourfold-worker");
  expect(policy).not.toMatch(/unsafe|upgrade-insecure/);
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin-allow-popups',
  });
});

test('every JSON answer carries the revisions', async () => {
  for (const url of ['/api/config', '/api/status', '/api/nowhere'])
    expect((await server.get(url)).headers['x-revision']).toMatch(/^\d+\.\d+\.\d+$/);
});

test('every route but the page, where files are shared to and where bytes are uploaded to is an endpoint of the contract', () => {
  const contract = new Set(Object.values(endpoints).map(({ method, path }) => `${method} ${toFastifyPath(path)}`));
  const routes = [...server.app.allowedMethods].flatMap(([path, methods]) =>
    [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );
  expect(routes.length).toBeGreaterThanOrEqual(11);
  const isOpen = (name: string) =>
    name === 'GET /' || name === 'POST /share' || name.endsWith(' /api/upload/address/:address');
  expect(routes.filter((name) => !isOpen(name) && !contract.has(name))).toEqual([]);
});
