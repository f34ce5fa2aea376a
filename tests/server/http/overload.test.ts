import { beforeEach, describe, expect, test } from 'vitest';
import { Overload } from '#server/limits/overload.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const strain = { lateMs: 0, waiting: 0 };
const token = 'a-token-of-a-monitor';
const server = await startServer(
  { env: { METRICS_TOKEN: token }, overrides: { look: () => ({ ...strain }) } },
  afterFile,
);
const ada = await putPerson(server, 'ada');
const { overload } = server.services;

/** Looks twice: one long pause alone says nothing. */
function see(seen: Partial<typeof strain>): void {
  Object.assign(strain, { lateMs: 0, waiting: 0 }, seen);
  for (let look = 0; look < 8; look += 1) overload.takeLook();
}

beforeEach(() => see({}));

const statusOf = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
  (await server.call(method, url, { headers: ada.headers, payload })).statusCode;

const report = () => statusOf('POST', '/api/optimization/performance/top-left', {});
const search = () => statusOf('GET', '/api/videos/by-tags?search=pier');
const list = () => statusOf('GET', '/api/videos/by-tags');
const write = () => statusOf('PUT', '/users/blocklist', { blocked_tag_ids: [] });
const signIn = () => statusOf('POST', '/auth/login', { identifier: 'ada', password: 'wrong' });
const firstPicks = () => statusOf('GET', '/api/video/first');
const pick = () => statusOf('GET', '/api/video/top-left');
const range = () => statusOf('GET', '/api/video/stream?path=none.mp4');
const upload = () => statusOf('PUT', '/upload/none', {});
const health = () => statusOf('GET', '/healthz');
const readiness = () => statusOf('GET', '/readyz');

const first = { report, search };
const others = { list, write, signIn, firstPicks };
const never = { pick, range, upload, health, readiness };

async function listRefused(calls: Record<string, () => Promise<number>>): Promise<string[]> {
  const refused: string[] = [];
  for (const [name, call] of Object.entries(calls)) if ((await call()) === 503) refused.push(name);
  return refused;
}

describe('a server', () => {
  test('that is calm refuses nothing', async () => {
    see({ lateMs: 99, waiting: 19 });
    expect(await listRefused({ ...first, ...others, ...never })).toEqual([]);
  });

  test.each([{ lateMs: 100 }, { waiting: 20 }])('with %o refuses reports and searches', async (seen) => {
    see(seen);
    expect(await listRefused({ ...first, ...others, ...never })).toEqual(Object.keys(first));
  });

  test.each([{ lateMs: 250 }, { waiting: 100 }])(
    'with %o refuses all but what somebody who watches or sends needs',
    async (seen) => {
      see(seen);
      expect(await listRefused({ ...first, ...others, ...never })).toEqual(Object.keys({ ...first, ...others }));
    },
  );

  test('looks nobody up and reads no body for a call that it refuses, says when to come back, and counts it', async () => {
    see({ lateMs: 250 });
    const before = overload.refused.usual;
    const reply = await server.call('PUT', '/users/blocklist', {
      headers: { authorization: 'Bearer nonsense', 'content-type': 'application/json' },
      payload: '{"no JSON',
    });
    expect([reply.statusCode, reply.json().error]).toEqual([503, 'overloaded']);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(5);
    expect(overload.refused.usual).toBe(before + 1);
    const metrics = (await server.get('/metrics', { authorization: `Bearer ${token}` })).body;
    expect(metrics).toContain(`fourfold_http_overloaded_total{kind="usual"} ${before + 1}`);
  });

  test('is itself again within two seconds of calm', async () => {
    see({ lateMs: 400 });
    Object.assign(strain, { lateMs: 0 });
    for (let look = 0; look < 6; look += 1) overload.takeLook();
    expect(await list()).toBe(503);
    overload.takeLook();
    expect(await list()).toBe(200);
  });
});

test('one long pause is no overload', () => {
  const late = [0, 0, 900, 0];
  const alone = new Overload(
    () => ({ lateMs: late.shift() ?? 0, waiting: 0 }),
    () => 0,
  );
  for (let look = 0; look < 4; look += 1) {
    alone.takeLook();
    alone.refuse('first', false);
  }
});

test('those who are refused together come back at different times', () => {
  const times = [0, 1, 2, 3, 4];
  const flooded = new Overload(
    () => ({ lateMs: 0, waiting: 100 }),
    () => times.shift() ?? 0,
  );
  flooded.takeLook();
  const refuse = () => {
    try {
      flooded.refuse('usual', false);
    } catch (error) {
      return (error as { headers: Record<string, string> }).headers['retry-after'];
    }
    return null;
  };
  expect(Array.from({ length: 5 }, refuse)).toEqual(['1', '2', '3', '4', '5']);
});
