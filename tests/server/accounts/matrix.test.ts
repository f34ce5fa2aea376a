import { describe, expect, test } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { errorReplySchema, errorStatuses } from '#contract/entities/error-reply.ts';
import { audienceRanks, rankOfViewer, tagAudiences } from '#contract/rules/tag.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { toFastifyPath } from '#server/http/pipeline/route.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import type { ValidCall } from '#tests/support/valid-calls.ts';
import { adminQueries, prepareCall } from '#tests/support/valid-calls.ts';

const server = await startServer({ env: { METRICS_TOKEN: 'a-token-that-nobody-has' } }, afterFile);
for (const tier of tiers) await putAccount(server, `a-${tier}`, tier);

const isServed = ({ path, method }: Endpoint) =>
  server.app.allowedMethods.get(toFastifyPath(path))?.has(method) === true;
const calls = (Object.values(endpoints) as Endpoint[]).filter(isServed);
/** They change or end what their caller signs in with: each needs an account of its own. */
const consuming: ReadonlySet<unknown> = new Set([
  endpoints.signOut,
  endpoints.signOutEverywhere,
  endpoints.changePassword,
  endpoints.deleteAccount,
  endpoints.upgradePlan,
]);

type Role = 'nobody' | Tier;

let numbers = 0;
const nextNumber = () => {
  numbers += 1;
  return numbers;
};

const authorization = new Map<Tier, Promise<Record<string, string>>>();

async function headersOf(role: Role, isConsumed = false): Promise<Record<string, string>> {
  if (role === 'nobody') return {};
  if (isConsumed) return (await putPerson(server, `x-${role}-${nextNumber()}`, role)).headers;
  const known = authorization.get(role) ?? signIn(server, `a-${role}`).then((reply) => personOf(reply).headers);
  authorization.set(role, known);
  return known;
}

/** A `{name}` of the path for which nothing was prepared names nothing that exists. */
async function make(endpoint: Endpoint, role: Role, call: ValidCall) {
  const { method, path } = endpoint;
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name) => call.params?.[name] ?? 'none') + (call.query ?? '');
  const headers = await headersOf(role, consuming.has(endpoint));
  return server.call(method, url, { headers, ...(method === 'GET' ? {} : { payload: call.body ?? {} }) });
}

/** What the guard says of a role: the status of a refusal, or null when it lets the call through. */
function refusalFor({ caller }: Endpoint, role: Role): 401 | 403 | null {
  if (caller === 'open' || caller === 'anyone' || caller === 'key') return null;
  if (role === 'nobody') return 401;
  return caller === 'admin' && role !== 'admin' ? 403 : null;
}

/** What somebody who may make a call never hears: that it is not theirs, or that it was made wrongly. */
const refusals: readonly number[] = [400, 401, 403, 413, 415, 421, 429];

function expectLetThrough(status: number, { caller }: Endpoint, role: Role, { body, answers = {} }: ValidCall): void {
  const own = role === 'nobody' ? undefined : answers[role];
  if (own !== undefined) expect(status).toBe(own);
  // Whoever somebody is, it is no key.
  else if (caller === 'key') expect(status).toBe(401);
  else if (body !== undefined) expect(status).toBeLessThan(300);
  else expect(refusals).not.toContain(status);
}

describe.each(['nobody', ...tiers] as const)('%s', (role) => {
  test.each(calls.map((endpoint) => [endpoint.method, endpoint.path, endpoint] as const))(
    '%s %s is refused or let through by the table of callers',
    async (_, __, endpoint) => {
      const call = await prepareCall(endpoint, server, nextNumber);
      const reply = await make(endpoint, role, call);
      const expected = refusalFor(endpoint, role);
      if (expected === 401) expect([reply.statusCode, reply.json().error]).toEqual([401, 'unauthorized']);
      else if (expected === 403) expect([reply.statusCode, reply.json().error]).toEqual([403, 'forbidden']);
      else expectLetThrough(reply.statusCode, endpoint, role, call);
      if (reply.statusCode >= 400 && String(reply.headers['content-type']).startsWith('application/json')) {
        const { error } = errorReplySchema.parse(reply.json());
        expect(errorStatuses[error]).toBe(reply.statusCode);
      }
      expect(reply.statusCode).toBeLessThan(500);
    },
  );
});

describe.each(['nobody', ...tiers] as const)('%s', (role) => {
  test.each(adminQueries.map(([endpoint, query]) => [endpoint.method, endpoint.path, query, endpoint] as const))(
    '%s %s%s is refused or let through as a call for administrators',
    async (_, __, query, endpoint) => {
      const { statusCode } = await make(endpoint, role, { query });
      expect(statusCode).toBe(refusalFor({ ...endpoint, caller: 'admin' }, role) ?? 200);
    },
  );
});

describe('a channel, and a video that is only in it,', async () => {
  const site = await startServer({}, afterFile);
  const headersBy = new Map<Role, Record<string, string>>([['nobody', {}]]);
  for (const tier of tiers) headersBy.set(tier, (await putPerson(site, `a-${tier}`, tier)).headers);
  await site.services.idSets.write(async (transaction, changes) => {
    for (const audience of tagAudiences) {
      await storeVideos(transaction, changes, 1, { id: audience, path: `${audience}.mp4` });
      const tag = await storeTag(transaction, changes, audience, [audience]);
      await transaction.updateTable('tags').set({ audience }).where('id', '=', tag).execute();
    }
    await bumpRevision(transaction, 'tags');
  });

  test.each(['nobody', ...tiers] as const)('are there for %s by rank alone', async (role) => {
    for (const audience of tagAudiences) {
      const isSeen = audienceRanks[audience] <= rankOfViewer(role === 'nobody' ? null : role);
      const video = `/api/videos/${audience}`;
      const statuses: number[] = [];
      for (const url of [`/api/tags/tag-${audience}`, video, `${video}/details`, `${video}.mp4/tags`])
        statuses.push((await site.get(url, headersBy.get(role))).statusCode);
      expect([audience, ...new Set(statuses)]).toEqual([audience, isSeen ? 200 : 404]);
    }
  });
});

test('the table has every call that is served', () => {
  expect(calls.length).toBeGreaterThanOrEqual(40);
});

test('a closed site answers nobody and everybody alike, whatever the call', async () => {
  const closed = await startServer({ env: { SITE_PASSWORD: 'open sesame' } });
  const headers = await headersOf('admin');
  for (const { method, path, caller } of calls) {
    if (caller === 'open' || caller === 'key') continue;
    for (const each of [{}, headers]) {
      const reply = await closed.call(method, path.replaceAll(/\{\w+\}/g, 'none'), { headers: each });
      expect([method, path, reply.statusCode, reply.json().error]).toEqual([
        method,
        path,
        401,
        'site_password_required',
      ]);
    }
  }
});
