import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { authReplySchema } from '#contract/entities/account.ts';
import { createAudit } from '#server/http/protection/audit.ts';
import { createLog } from '#server/log.ts';
import { password, putPerson } from '#tests/support/people.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

interface Line {
  event: string;
  address: string;
  request_id: string;
  msg: string;
  [fact: string]: unknown;
}

const sitePassword = 'open sesame at noon';
const typedByMistake = 'my-real-password-typed-as-a-name';

/** The failregex that the README gives to fail2ban, as this language writes it. */
function readmeFilter(): RegExp {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const [, failregex = ''] = /^failregex = (.+)$/m.exec(readme) ?? [];
  return new RegExp(failregex.replace('<HOST>', '(?<host>[\\da-f.:]+)'));
}

async function visit(address: string) {
  let cookie = '';
  return async (method: string, path: string, body: object | null, headers: Record<string, string> = {}) => {
    const json: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { cookie, ...json, ...headers },
      body: body === null ? null : JSON.stringify(body),
    });
    const set = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
    if (set.some((pair) => pair?.startsWith('gate='))) cookie = set.join('; ');
    return {
      id: answer.headers.get('x-request-id') ?? '',
      status: answer.status,
      json: await answer.json().catch(() => null),
    };
  };
}

test('a running server writes one line for each act that matters, with address and request, and nothing that was typed', async () => {
  const env = {
    DATA_DIR: temporaryFolder(),
    LIBRARY_DIRS: temporaryFolder(),
    SITE_PASSWORD: sitePassword,
  };
  const server = runServer({ ...env, LOG_LEVEL: 'error' });
  const [setupCode = ''] = /\b[B-Z]{4}-[B-Z]{4}\b/.exec(await server.says(/\b[B-Z]{4}-[B-Z]{4}\b/)) ?? [];
  const call = await visit(await server.address());

  const wish = { username: 'keeper', email: 'keeper@example.com', password, setup_code: setupCode };
  const gateRefused = await call('POST', '/api/password-auth', { password: 'not the password' });
  const gateEntered = await call('POST', '/api/password-auth', { password: sitePassword });
  const registered = await call('POST', '/auth/register', wish);
  const taken = await call('POST', '/auth/register', { ...wish, username: 'other' });
  const unknown = await call('POST', '/auth/login', { identifier: typedByMistake, password: 'anything' });
  const wrong = await call('POST', '/auth/login', { identifier: 'keeper', password: 'a wrong guess' });
  const { user, access_token } = authReplySchema.parse(registered.json);
  const userId = user.id;
  const bearer = { authorization: `Bearer ${access_token}` };
  const scan = await call('POST', '/api/refresh', null, bearer);
  const changed = await call('PUT', `/users/admin/${userId}`, { display_name: 'Hidden Name' }, bearer);
  expect(
    [gateRefused, gateEntered, registered, taken, unknown, wrong, scan, changed].map(({ status }) => status),
  ).toEqual([401, 200, 201, 409, 401, 401, 202, 200]);

  const said = await server.says(/fields=display_name/);
  const lines = said.split('\n').filter((line) => line.includes('"audit: '));
  const written = lines
    .map((line) => JSON.parse(line) as Line)
    .map(({ event, address, request_id, reason }) => [event, address, request_id, reason]);
  const from = '127.0.0.1';
  expect(written).toEqual([
    ['gate_refused', from, gateRefused.id, 'invalid_password'],
    ['gate_entered', from, gateEntered.id, undefined],
    ['registered', from, registered.id, undefined],
    ['registration_refused', from, taken.id, 'conflict'],
    ['sign_in_refused', from, unknown.id, 'invalid_credentials'],
    ['sign_in_refused', from, wrong.id, 'invalid_credentials'],
    ['admin_act', from, scan.id, undefined],
    ['admin_act', from, changed.id, undefined],
  ]);
  expect(lines[5]).toContain(
    `audit: sign_in_refused address=127.0.0.1 request=${wrong.id} reason=invalid_credentials user=${userId}"`,
  );
  expect(lines[7]).toContain(
    `user=${userId} call=PUT:/users/admin/{id} target=${userId} fields=display_name status=200"`,
  );
  for (const typed of [
    typedByMistake,
    'keeper',
    'other',
    password,
    'anything',
    'a wrong guess',
    'not the password',
    sitePassword,
    'Hidden Name',
    setupCode,
  ]) {
    expect(lines.join('\n')).not.toContain(typed);
  }

  const banned = lines.map((line) => readmeFilter().exec(line)?.groups?.host ?? null);
  expect(banned).toEqual([from, null, null, null, from, from, null, null]);
});

describe('a line of the audit trail', () => {
  const source = { address: '2001:db8::7', requestId: 'r-1' };

  test.each(['trace', 'info', 'warn', 'error', 'fatal'] as const)('is written at level %s', (level) => {
    const lines: string[] = [];
    createAudit(createLog(level, { write: (line) => void lines.push(line) })).write('gate_entered', source);
    expect(JSON.parse(lines.join(''))).toMatchObject({
      level: 'info',
      event: 'gate_entered',
      msg: 'audit: gate_entered address=2001:db8::7 request=r-1',
    });
  });

  test('is not written where the log is silent', () => {
    const lines: string[] = [];
    createAudit(createLog('silent', { write: (line) => void lines.push(line) })).write('gate_entered', source);
    expect(lines).toEqual([]);
  });

  test('cannot be forged by a name of a file or an address that was asked for', () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const forged = '"msg":"audit: sign_in_refused address=203.0.113.9 request=x';
    log.warn({ path: forged, event: forged }, `skipped ${forged}`);
    expect(readmeFilter().test(lines.join(''))).toBe(false);
  });

  test('names one address whatever a trusted proxy sends for it', async () => {
    const server = await startServer({ env: { SITE_PASSWORD: sitePassword, TRUST_PROXY: 'on' } });
    for (const sent of ['203.0.113.7:51234', 'nobody" address=198.51.100.1']) {
      await server.call('POST', '/api/password-auth', {
        payload: { password: 'no' },
        headers: { 'x-forwarded-for': sent },
      });
    }
    const refused = server.logged().match(/audit: gate_refused address=\S+/g);
    expect(refused).toEqual(['audit: gate_refused address=203.0.113.7', 'audit: gate_refused address=unknown']);
  });

  test('names few fields, whatever body an administrator sends', async () => {
    const server = await startServer();
    const { headers } = await putPerson(server, 'keeper', 'admin');
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`field${at}`, at]));
    for (const body of ['a'.repeat(100_000), new Array(50_000).fill(1), many])
      await server.call('POST', '/api/admin/tags/import', {
        headers: { ...headers, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
    const lines = server.logged().split('\n');
    const acts = lines.filter((line) => line.includes('"audit: admin_act')).map((line) => JSON.parse(line) as Line);
    expect(acts.map(({ status, fields }) => [status, String(fields).split(',').length])).toEqual([
      [400, 1],
      [400, 1],
      [400, 32],
    ]);
  });

  test('says of a limit that it was one', async () => {
    const server = await startServer();
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      statuses.push(
        (
          await server.call('POST', '/auth/login', {
            payload: { identifier: 'nobody', password: 'no' },
            remoteAddress: '198.51.100.5',
          })
        ).statusCode,
      );
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const reasons =
      server.logged().match(/audit: sign_in_refused address=198\.51\.100\.5 request=\S+ reason=\w+/g) ?? [];
    expect(reasons.map((line) => line.split('reason=')[1])).toEqual([
      ...Array.from({ length: 5 }, () => 'invalid_credentials'),
      'rate_limited',
    ]);
  });
});
