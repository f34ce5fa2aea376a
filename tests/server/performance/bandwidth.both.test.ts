import { describe, expect, test, vi } from 'vitest';
import { bandwidthSchema } from '#contract/entities/performance.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { SettableClock } from '#tests/support/settable-clock.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Two processes on one database, with one time. */
interface Site {
  clock: SettableClock;
  nodes: [ServerUnderTest, ServerUnderTest];
}

/** What has elapsed since the start is never a whole number of milliseconds, and differs from one question to the next. */
let questions = 0;
function fractions(): number {
  questions += 1;
  return 0.1 + (questions % 3) / 10;
}

async function openSite(): Promise<Site> {
  const clock = settableClock();
  const overrides = { clock: { ...clock, elapsed: () => clock.elapsed() + fractions() } };
  const env = await migratedSite(afterFile);
  const first = await startServer({ env, overrides }, afterFile);
  const second = await startServer({ env, overrides }, afterFile);
  await putAccount(first, 'ada', 'admin');
  return { clock, nodes: [first, second] };
}

const site = await openSite();
const [server, other] = site.nodes;
const { clock } = site;

/** A day later nobody remembers anything; at the start of a slot of every length. */
function nextDay(): void {
  clock.pass(25 * hour - (clock.now() % (15 * minute)));
}

let names = 0;
function browser(): { cookie: string } {
  names += 1;
  return { cookie: `viewer=${String(names).padStart(24, 'v')}` };
}

/** Lets the network deliver so many megabits to this browser, in a second of answers. */
function send({ services }: ServerUnderTest, { cookie }: { cookie: string }, megabits: number): void {
  const [, viewer = ''] = cookie.split('=');
  const bytes = (megabits * 1_000_000) / 8;
  services.sentBytes.viewer({ ip: '192.0.2.7', cookies: { viewer } }).delivered({ bytes, ms: 1_000 });
}

async function read({ get }: ServerUnderTest, query: string, headers: Record<string, string>) {
  const reply = await get(`/api/optimization/bandwidth${query}`, headers);
  expect(reply.statusCode).toBe(200);
  return bandwidthSchema.parse(reply.json());
}

/** As both processes do every ten seconds. */
async function store(): Promise<void> {
  for (const { services } of site.nodes) await services.playbackHealth.write();
}

const mbps = ({ history }: { history: { mbps: number }[] }) => history.map((point) => point.mbps);

describe('the caller', () => {
  test('hears null before anything was fetched, then what the network gave, for five minutes, then null again', async () => {
    nextDay();
    const ada = browser();
    const nothing = { current_bandwidth_mbps: null, current_bandwidth_bps: null, history: [] };
    expect(await read(server, '', ada)).toEqual(nothing);
    send(server, ada, 4);
    clock.pass(9 * second);
    expect(await read(server, '', ada)).toEqual({
      current_bandwidth_mbps: 4,
      current_bandwidth_bps: 4_000_000,
      history: [],
    });
    clock.pass(5 * minute - 9 * second);
    expect(await read(server, '?duration=15m', ada)).toMatchObject({
      current_bandwidth_mbps: 4,
      history: [{ mbps: 4 }],
    });
    clock.pass(second);
    expect(await read(server, '?duration=15m', ada)).toMatchObject({
      current_bandwidth_mbps: null,
      history: [{ mbps: 4 }],
    });
  });

  test('hears nothing of what others were sent', async () => {
    nextDay();
    const [ada, bob] = [browser(), browser()];
    send(server, ada, 1);
    send(server, bob, 2);
    const own = await Promise.all([ada, bob, browser()].map((each) => read(server, '', each)));
    expect(own.map(({ current_bandwidth_mbps }) => current_bandwidth_mbps)).toEqual([1, 2, null]);
  });

  test.each([
    ['1m', 10 * second, 6],
    ['5m', 10 * second, 30],
    ['15m', 10 * second, 90],
    ['1h', minute, 60],
    ['6h', 5 * minute, 72],
    ['24h', 15 * minute, 96],
  ] as const)('sees the first and the last step of a window of %s', async (window, stepMs, points) => {
    nextDay();
    const ada = browser();
    send(server, ada, 1);
    clock.pass((points - 1) * stepMs);
    send(server, ada, 2);
    clock.pass(10 * second);
    const { history } = await read(server, `?duration=${window}`, ada);
    expect(history.map((point) => point.mbps)).toEqual([1, 2]);
    const [first, last] = history.map(({ timestamp }) => Date.parse(timestamp));
    expect((last ?? 0) - (first ?? 0)).toBe((points - 1) * stepMs);
  });

  test('is told which windows there are', async () => {
    const reply = await server.get('/api/optimization/bandwidth?duration=2h');
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'validation_failed']);
  });
});

describe('the bandwidth of the site', () => {
  test('is refused to everybody but administrators', async () => {
    const ask = async (headers: Record<string, string>) => {
      const reply = await server.get('/api/optimization/bandwidth?scope=site', headers);
      return [reply.statusCode, reply.json().error];
    };
    expect(await ask({})).toEqual([401, 'unauthorized']);
    for (const tier of tiers.filter((each) => each !== 'admin')) {
      const { headers } = await putPerson(server, `a-${tier}`, tier);
      expect(await ask(headers)).toEqual([403, 'forbidden']);
    }
  });

  test('is the mean over those who fetch, stands for five minutes, then is null', async () => {
    nextDay();
    const admin = await signedIn();
    const current = async () => (await read(server, '?scope=site', admin)).current_bandwidth_mbps;
    expect(await current()).toBe(null);
    send(server, browser(), 1);
    for (const _ of [1, 2]) send(server, browser(), 4);
    expect(await current()).toBe(3);
    clock.pass(11 * second);
    const { current_bandwidth_mbps, history } = await read(server, '?scope=site', admin);
    expect([current_bandwidth_mbps, mbps({ history })]).toEqual([3, [3]]);
    send(server, browser(), 8);
    expect(await current()).toBe(8);
    clock.pass(5 * minute + 1);
    expect(await current()).toBe(null);
  });

  test('is low for nobody whose buffers are full: what was not asked for is not missed', async () => {
    nextDay();
    const admin = await signedIn();
    const viewer = server.services.sentBytes.viewer({ ip: '192.0.2.7', cookies: {} });
    // Half a second of a fast network, then nine and a half of a full buffer, again and again.
    for (let round = 0; round < 4; round += 1) {
      viewer.delivered({ bytes: 625_000, ms: 50 });
      clock.pass(10 * second);
    }
    const { current_bandwidth_mbps, history } = await read(server, '?scope=site', admin);
    expect([current_bandwidth_mbps, mbps({ history })]).toEqual([100, [100, 100, 100, 100]]);
  });

  test('is that of both processes, whichever is asked, from when the other has stored it until it is old', async () => {
    nextDay();
    const admin = await signedIn();
    send(other, browser(), 4);
    clock.pass(10 * second);
    await store();
    send(server, browser(), 1);
    const answers = [await read(server, '?scope=site', admin), await read(other, '?scope=site', admin)];
    expect(answers.map(({ current_bandwidth_mbps }) => current_bandwidth_mbps)).toEqual([2.5, 4]);
    expect(answers.map(mbps)).toEqual([[4], [4]]);
    clock.pass(10 * second);
    await store();
    const later = [await read(server, '?scope=site', admin), await read(other, '?scope=site', admin)];
    expect(later.map(mbps)).toEqual([
      [4, 1],
      [4, 1],
    ]);
    clock.pass(6 * minute);
    expect((await read(server, '?scope=site', admin)).current_bandwidth_mbps).toBe(null);
  });

  test.each(['5m', '1h', '6h', '24h'])('adds up both processes in a window of %s', async (window) => {
    nextDay();
    const admin = await signedIn();
    const viewers = [browser(), browser()] as const;
    for (let round = 0; round < 6; round += 1) {
      send(server, viewers[0], 1);
      send(other, viewers[1], 3);
      clock.pass(10 * second);
      await store();
    }
    const points = window === '5m' ? 6 : 1;
    for (const node of site.nodes) {
      const { history } = await read(node, `?scope=site&duration=${window}`, admin);
      expect(history.map((point) => point.mbps)).toEqual(Array<number>(points).fill(2));
    }
  });
});

test("the site's history stays the same when the old rows of all processes become one", async () => {
  nextDay();
  const viewers = [browser(), browser()] as const;
  for (let quarter = 0; quarter < 24; quarter += 1) {
    send(server, viewers[0], 1);
    send(other, viewers[1], quarter);
    clock.pass(10 * second);
    await store();
    clock.pass(15 * minute - 10 * second);
  }
  const stored = await server.services.database.reader
    .selectFrom('network_stats')
    .select(['node', 'viewers'])
    .where('slot_seconds', '=', 60)
    .where('starts_at', '<', clock.now() - 3 * hour)
    .where('starts_at', '>', clock.now() - 7 * hour)
    .execute();
  expect(stored).toEqual(Array(12).fill({ node: '', viewers: 2 }));
  const admin = await signedIn();
  for (const node of site.nodes)
    expect(mbps(await read(node, '?scope=site&duration=24h', admin))).toEqual(
      Array.from({ length: 24 }, (_, quarter) => (1 + quarter) / 2),
    );
});

describe('what is stored', () => {
  const rows = () =>
    server.services.database.reader
      .selectFrom('network_stats')
      .select(['slot_seconds', 'starts_at', 'node', 'kbps', 'viewers'])
      .orderBy('slot_seconds')
      .orderBy('starts_at')
      .execute();

  test('is what networks gave in 10 s and in a minute: exact, added up, and nothing of a single viewer', async () => {
    nextDay();
    await store();
    const start = clock.now();
    const [ada, bob] = [browser(), browser()];
    for (const megabits of [10, 2]) {
      send(server, ada, megabits);
      send(server, bob, megabits);
      clock.pass(10 * second);
      await store();
    }
    await store();
    const { node } = server.services;
    const newest = (await rows()).filter((row) => row.starts_at >= start);
    expect(newest).toEqual([
      { slot_seconds: 10, starts_at: start, node, kbps: 20_000, viewers: 2 },
      { slot_seconds: 10, starts_at: start + 10 * second, node, kbps: 4_000, viewers: 2 },
      { slot_seconds: 60, starts_at: start, node, kbps: 24_000, viewers: 4 },
    ]);
  });

  test('is taken again when it could not be committed', async () => {
    nextDay();
    const start = clock.now();
    send(server, browser(), 5);
    clock.pass(10 * second);
    const { database } = server.services;
    const write = database.write.bind(database);
    const failing = vi.spyOn(database, 'write').mockImplementation((work) =>
      write(async (transaction) => {
        await work(transaction);
        throw new Error('The disk is full.');
      }),
    );
    await expect(server.services.playbackHealth.write()).rejects.toThrow('The disk is full.');
    failing.mockRestore();
    await store();
    const stored = (await rows()).filter((row) => row.starts_at >= start);
    expect(stored.map(({ kbps }) => kbps)).toEqual([5_000, 5_000]);
  });

  test('goes: short slots after twenty minutes, long ones after a day', async () => {
    nextDay();
    await store();
    send(server, browser(), 1);
    clock.pass(20 * minute);
    await store();
    expect((await rows()).map(({ slot_seconds }) => slot_seconds)).toEqual([10, 60]);
    // The time of the sweeps moves once a minute.
    clock.pass(minute);
    await store();
    expect((await rows()).map(({ slot_seconds }) => slot_seconds)).toEqual([60]);
    clock.pass(24 * hour);
    await store();
    expect(await rows()).toEqual([]);
  });
});

/** Tokens are old after a day. */
async function signedIn(): Promise<Record<string, string>> {
  return personOf(await signIn(server, 'ada')).headers;
}
