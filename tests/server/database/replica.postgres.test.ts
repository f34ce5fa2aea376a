import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openDatabase } from '#server/database/connection.ts';
import { readEnv } from '#server/env.ts';
import type { RunningPostgres } from '#tests/support/database/postgres.ts';
import { replicable, startPostgres } from '#tests/support/database/postgres.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import type { Person } from '#tests/support/people.ts';
import { personOf, putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const token = 'a-token-for-the-monitor';
const clock = settableClock();
let primary: RunningPostgres;
let replica: RunningPostgres;
let replicaClient: pg.Client;
let server: ServerUnderTest;
let chief: Person;

const ends: (() => unknown)[] = [];
const atEnd = (end: () => unknown) => void ends.unshift(end);
afterAll(async () => {
  for (const end of ends) await end();
});

beforeAll(async () => {
  primary = await startPostgres(replicable);
  atEnd(() => primary.stop());
  replica = await primary.follow();
  atEnd(() => replica.stop());
  server = await startServer(
    { env: { DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url, METRICS_TOKEN: token }, overrides: { clock } },
    atEnd,
  );
  await putPerson(server, 'chief', 'admin');
  await connect();
});

async function connect(): Promise<void> {
  replicaClient = new pg.Client(replica.url);
  replicaClient.on('error', () => {});
  await replicaClient.connect();
}

const database = () => server.services.database;
const facts = () => database().replica() ?? { behindMs: null, fault: 'none', fromReplica: 0, fromPrimary: 0 };
const readNames = async (from: 'lists' | 'reader' = 'lists') =>
  (await database()[from].selectFrom('settings').select('name').where('name', 'like', 'x%').execute()).map(
    (r) => r.name,
  );

/** Writes as another server would. */
let written = 0;
async function writeOne(): Promise<string> {
  written += 1;
  const name = `x${written}`;
  await database().write((transaction) =>
    transaction.insertInto('settings').values({ name, value: 'null', updated_at: 0 }).execute(),
  );
  return name;
}

/** Until the server knows that the replica has all that was written until a second ago. */
async function untilClose(): Promise<void> {
  // No earlier look counts any more.
  clock.pass(6_000);
  let polls = 0;
  let pollsForALook = 10;
  await until(async () => {
    const before = facts().fromReplica;
    await readNames();
    if (polls++ === pollsForALook) {
      // Another look: the replica was behind. The clock stands still for ever longer, because a look may take long.
      polls = 0;
      pollsForALook *= 2;
      clock.pass(1_000);
    }
    expect([facts().fault, facts().behindMs, facts().fromReplica]).toEqual([null, 0, before + 1]);
  });
}

async function until(check: () => unknown): Promise<void> {
  await vi.waitFor(check, { interval: 20 });
}

/** The replica gets what is written, and shows nothing of it until the end of the test. */
async function pause(): Promise<void> {
  await replicaClient.query('select pg_wal_replay_pause()');
  onTestFinished(resume);
  // Until then the replica goes on to replay what it gets.
  await until(async () => {
    const { rows } = await replicaClient.query('select pg_get_wal_replay_pause_state() as state');
    expect(rows).toEqual([{ state: 'paused' }]);
  });
}

async function resume(): Promise<void> {
  await replicaClient.query('select pg_wal_replay_resume()');
}

beforeEach(async () => {
  await untilClose();
  // The life of a token is short.
  chief = personOf(await signIn(server, 'chief'));
});

test('lists come from the replica, and everything else from the primary', async () => {
  const { rows } = await sql<{ followed: boolean }>`select pg_is_in_recovery() as followed`.execute(database().lists);
  const { rows: own } = await sql<{ followed: boolean }>`select pg_is_in_recovery() as followed`.execute(
    database().reader,
  );
  expect([rows, own]).toEqual([[{ followed: true }], [{ followed: false }]]);
  for (const url of ['/users/admin', '/api/admin/performance/alerts', '/api/admin/activity']) {
    const before = facts().fromReplica;
    expect([url, (await server.get(url, chief.headers)).statusCode]).toEqual([url, 200]);
    expect([url, facts().fromReplica > before]).toEqual([url, true]);
  }
});

test('a replica that is 5 seconds behind is asked, one that is more is not until it has caught up', async () => {
  await pause();
  const name = await writeOne();
  clock.pass(4_000);
  expect(await readNames()).not.toContain(name);
  await until(async () => {
    clock.pass(100);
    expect(await readNames()).toContain(name);
  });
  clock.pass(10_000);
  await until(() => expect(facts().fault).toMatch(/^it is \d+ s behind$/));
  const about = (await server.get('/api/admin/about', chief.headers)).json();
  expect(about.degraded.map(({ problem }: { problem: string }) => problem).join()).toContain('replica of the database');
  const metrics = (await server.get('/metrics', { authorization: `Bearer ${token}` })).body;
  expect(metrics).toMatch(/^fourfold_replica_up 0$/m);
  expect(metrics).toMatch(/^fourfold_replica_behind_seconds [1-9]/m);
  await resume();
  await untilClose();
  expect(await readNames()).toContain(name);
  expect((await server.get('/metrics', { authorization: `Bearer ${token}` })).body).toMatch(/^fourfold_replica_up 1$/m);
});

test('a primary that writes nothing for an hour leaves the replica as it is', async () => {
  clock.pass(3_600_000);
  await untilClose();
  expect(facts().behindMs).toBeLessThan(5_000);
});

test('a browser sees what it has written at once, on every server, and others within seconds', async () => {
  await pause();
  const named = (cookie: string) => server.get('/users/admin?search=newcomer', { ...chief.headers, cookie });
  const reply = await server.call('POST', '/auth/register', {
    payload: { username: 'newcomer', email: 'newcomer@example.org', password: 'Long enough 4 all' },
  });
  expect(reply.statusCode).toBeLessThan(300);
  const wrote = String(reply.headers['set-cookie']).match(/wrote=1; Max-Age=7/);
  expect(wrote).not.toBeNull();
  expect((await named('wrote=1')).json().users).toHaveLength(1);
  expect((await named('')).json().users, 'somebody else').toHaveLength(0);
  await resume();
  await until(async () => {
    clock.pass(100);
    expect((await named('')).json().users).toHaveLength(1);
  });
  const read = await server.get('/users/admin', chief.headers);
  expect(String(read.headers['set-cookie'])).not.toContain('wrote');
});

test('videos that are newer than the replica are listed all the same', async () => {
  const { database: own, idSets } = server.services;
  await pause();
  await idSets.write((transaction, changes) => storeVideos(transaction, changes, 3));
  const { reader } = own;
  const before = facts().fromReplica;
  const page = (await server.get('/api/videos/by-tags')).json();
  expect([page.total, page.videos.length]).toEqual([3, 3]);
  expect(facts().fromReplica).toBeGreaterThan(before);
  expect(await reader.selectFrom('videos').select('number').execute()).toHaveLength(3);
  expect(await own.lists.selectFrom('videos').select('number').execute()).toHaveLength(0);
});

test('a replica that ends or is away costs nobody an answer', async () => {
  await replica.halt('SIGQUIT');
  const name = await writeOne();
  expect(await readNames()).toContain(name);
  expect(await readNames()).toContain(name);
  expect(facts().fault).not.toBeNull();
  await replica.start();
  await connect();
  await untilClose();
});

test('what is no replica of this database is not asked', async () => {
  const stranger = await startPostgres();
  onTestFinished(() => stranger.stop());
  for (const url of [primary.url, stranger.url]) {
    const own = openDatabase({ kind: 'postgres', url: primary.url, readUrl: url });
    onTestFinished(() => own.close());
    await own.lists.selectFrom('settings').select('name').execute();
    await vi.waitFor(() => expect(own.replica()?.fault).toBe('it is no replica'));
    await own.lists.selectFrom('settings').select('name').execute();
    expect(own.replica()).toMatchObject({ fromReplica: 0, fromPrimary: 2 });
  }
});

test('lists take half of the connections to the primary, and others go on', async () => {
  const own = openDatabase({ kind: 'postgres', url: primary.url, pool: 5 });
  onTestFinished(() => own.close());
  const { lists, reader, load } = own;
  const slow = sql`select pg_sleep(0.01), pg_advisory_xact_lock(77)`;
  const end = Promise.withResolvers<void>();
  const held = own.write(async (transaction) => {
    await sql`select pg_advisory_xact_lock(77)`.execute(transaction);
    await end.promise;
  });
  await vi.waitFor(async () => {
    const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory' and objid = 77`.execute(reader);
    expect(rows).toHaveLength(1);
  });
  const waiting = Array.from({ length: 6 }, () => slow.execute(lists));
  await vi.waitFor(() => expect(load()).toMatchObject({ used: 3, waiting: 4 }));
  await sql`select 1`.execute(reader);
  end.resolve();
  await Promise.all([held, ...waiting]);
  expect(load().waiting).toBe(0);
});

test('a replica without PostgreSQL is refused', () => {
  expect(() => readEnv({ DATABASE_READ_URL: 'postgres://somewhere/site' })).toThrow(/DATABASE_READ_URL/);
});
