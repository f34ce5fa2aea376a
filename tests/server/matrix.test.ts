import { afterAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { errorReplySchema } from '#contract/entities/error-reply.ts';
import { errorStatuses } from '#contract/error-codes.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { toFastifyPath } from '#server/http/route.ts';
import { personOf, putAccount, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';

const server = await startServer({}, afterAll);
for (const tier of tiers) await putAccount(server, `a-${tier}`, tier);

const isServed = ({ path, method }: Endpoint) => server.app.allowedMethods.get(toFastifyPath(path))?.has(method) === true;
const calls = (Object.values(endpoints) as Endpoint[]).filter(isServed);
/** They end the session that makes them: each needs one of its own. */
const ending: ReadonlySet<unknown> = new Set([endpoints.signOut, endpoints.signOutEverywhere]);

type Role = 'nobody' | Tier;

const authorization = new Map<Role, Promise<Record<string, string>>>();

async function headersOf(role: Role, isOnce: boolean): Promise<Record<string, string>> {
  if (role === 'nobody') return {};
  const known = authorization.get(role);
  if (known !== undefined && !isOnce) return known;
  const headers = signIn(server, `a-${role}`).then((reply) => personOf(reply).headers);
  if (!isOnce) authorization.set(role, headers);
  return headers;
}

/** Every `{name}` of the path names nothing that exists; the body is empty, so that nothing is written. */
async function make({ method, path }: Endpoint, role: Role, isOnce: boolean) {
  const url = path.replaceAll(/\{\w+\}/g, 'none');
  return server.call(method, url, { headers: await headersOf(role, isOnce), ...(method === 'GET' ? {} : { payload: {} }) });
}

/** What the guard says of a role: the status of a refusal, or null when it lets the call through. */
function refusalFor({ caller }: Endpoint, role: Role): 401 | 403 | null {
  if (caller === 'open' || caller === 'anyone' || caller === 'key') return null;
  if (role === 'nobody') return 401;
  return caller === 'admin' && role !== 'admin' ? 403 : null;
}

/** What a call says by itself to somebody who may make it. */
const ownRefusals: ReadonlySet<string> = new Set(['eula_required', 'registration_closed', 'quota_exceeded']);

// Last those that end something for everybody of the role.
const ordered = calls.toSorted((a, b) => Number(ending.has(a)) - Number(ending.has(b)));

describe.each(['nobody', ...tiers] as const)('%s', (role) => {
  test.each(ordered.map((endpoint) => [endpoint.method, endpoint.path, endpoint] as const))(
    '%s %s is refused or let through by the table of callers',
    async (_, __, endpoint) => {
      const reply = await make(endpoint, role, ending.has(endpoint));
      const expected = refusalFor(endpoint, role);
      if (expected === 401) expect([reply.statusCode, reply.json().error]).toEqual([401, 'unauthorized']);
      else if (expected === 403) expect([reply.statusCode, reply.json().error]).toEqual([403, 'forbidden']);
      else if (reply.statusCode === 403) expect(ownRefusals).toContain(reply.json().error);
      else if (endpoint.caller !== 'key' || reply.statusCode === 200) expect(reply.statusCode).not.toBe(401);
      if (reply.statusCode >= 400 && String(reply.headers['content-type']).startsWith('application/json')) {
        const { error } = errorReplySchema.parse(reply.json());
        expect(errorStatuses[error]).toBe(reply.statusCode);
      }
      expect(reply.statusCode).not.toBe(500);
    },
  );
});

test('the table has every call that is served', () => {
  expect(calls.length).toBeGreaterThanOrEqual(40);
});

test('a closed site answers nobody and everybody alike, whatever the call', async () => {
  const closed = await startServer({ env: { SITE_PASSWORD: 'open sesame' } });
  const headers = await headersOf('admin', false);
  for (const { method, path, caller } of calls) {
    if (caller === 'open' || caller === 'key') continue;
    for (const each of [{}, headers]) {
      const reply = await closed.call(method, path.replaceAll(/\{\w+\}/g, 'none'), { headers: each });
      expect([method, path, reply.statusCode, reply.json().error]).toEqual([method, path, 401, 'site_password_required']);
    }
  }
});
