import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { jobKindListSchema, jobListSchema, jobsChangedSchema } from '#contract/entities/library.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import type { JobState } from '#server/jobs/job.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const admin = callerFor({ userId: 'u', tier: 'admin' });
const server = await startServer({ overrides: { identifyCaller: async () => admin } }, afterFile);
const { database, jobs, runner } = server.services;
// What waits goes on waiting.
await runner.stop();

beforeEach(() => database.write((transaction) => transaction.deleteFrom('jobs').execute()).then(() => {}));

let stored = 0;

/** Jobs of one state with a subject each, as the queue would have left them. */
async function store(kind: string, state: JobState, subjects: readonly string[]): Promise<void> {
  const rows = subjects.map((subject) => {
    stored += 1;
    const isActive = state === 'queued' || state === 'running';
    return {
      id: `job-${String(stored).padStart(8, '0')}`,
      kind,
      subject,
      active_key: isActive ? `${kind}:${subject}` : null,
      state,
      lane: 'light',
      priority: 100,
      run_at: 1,
      attempts: 3,
      attempts_max: 3,
      progress: 0,
      error: state === 'failed' ? 'It went wrong.' : null,
      payload: 'null',
      created_at: 1,
      started_at: 1,
      finished_at: isActive ? null : 2,
    };
  });
  await database.write(async (transaction) => {
    for (let from = 0; from < rows.length; from += 500)
      await transaction
        .insertInto('jobs')
        .values(rows.slice(from, from + 500))
        .execute();
  });
}

const subjects = (count: number, prefix = 's') => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
const kinds = async () => jobKindListSchema.parse((await server.get('/api/admin/jobs/kinds')).json()).kinds;
const list = async (query: string) => jobListSchema.parse((await server.get(`/api/admin/jobs${query}`)).json());

async function change(act: 'retry' | 'cancel', kind: string): Promise<number> {
  const reply = await server.call('POST', `/api/admin/jobs/${act}`, { payload: { kind } });
  return jobsChangedSchema.parse(reply.json()).jobs;
}

const none = { queued: 0, running: 0, failed: 0, done: 0, cancelled: 0 };

test('ten thousand posters are one line', async () => {
  await store('poster', 'queued', subjects(9_000, 'waiting'));
  await store('poster', 'failed', subjects(1_000, 'failed'));
  await store('scan', 'done', ['one']);
  expect(await kinds()).toEqual([
    { ...none, kind: 'poster', queued: 9_000, failed: 1_000 },
    { ...none, kind: 'scan', done: 1 },
  ]);
  expect(await change('retry', 'poster')).toBe(1_000);
  expect(await change('cancel', 'poster')).toBe(10_000);
  expect((await kinds())[0]).toEqual({ ...none, kind: 'poster', cancelled: 10_000 });
});

test('the list is of one kind and state where it is asked for', async () => {
  await store('poster', 'failed', subjects(3));
  await store('poster', 'done', subjects(2));
  await store('scan', 'failed', ['one']);
  const { jobs: failed, total } = await list('?kind=poster&state=failed&limit=2');
  expect([failed.map(({ kind, state }) => [kind, state]), total]).toEqual([
    [
      ['poster', 'failed'],
      ['poster', 'failed'],
    ],
    3,
  ]);
  expect([(await list('?kind=poster')).total, (await list('?kind=none')).total, (await list('')).total]).toEqual([
    5, 0, 6,
  ]);
});

test('what failed waits again from its first attempt, each subject once, and what is on its way is left', async () => {
  await store('poster', 'failed', ['a', 'b', 'a', 'c']);
  await store('poster', 'queued', ['b']);
  await store('poster', 'running', ['c']);
  await store('other', 'failed', ['a']);
  expect(await change('retry', 'poster')).toBe(1);
  expect(await kinds()).toEqual([
    { ...none, kind: 'other', failed: 1 },
    { ...none, kind: 'poster', queued: 2, running: 1, failed: 3 },
  ]);
  const row = await database.reader
    .selectFrom('jobs')
    .selectAll()
    .where('state', '=', 'queued')
    .where('subject', '=', 'a')
    .executeTakeFirst();
  expect(row).toMatchObject({ attempts: 0, error: null, started_at: null, finished_at: null, active_key: 'poster:a' });
  expect(await change('retry', 'poster')).toBe(0);
});

test('work that is queued while the failed one is retried stands in the way of that one alone', async () => {
  await store('poster', 'failed', subjects(5));
  const { write } = database;
  const late = { ...(await jobRow('s-2')), id: 'late', state: 'queued' as const, active_key: 'poster:s-2' };
  onTestFinished(() => void Object.assign(database, { write }));
  // Between what was listed and what is written.
  Object.assign(database, {
    write: async (work: Parameters<typeof write>[0]) => {
      Object.assign(database, { write });
      await write((transaction) => transaction.insertInto('jobs').values(late).execute());
      return write(work);
    },
  });
  expect(await change('retry', 'poster')).toBe(4);
  expect(await kinds()).toEqual([{ ...none, kind: 'poster', queued: 5, failed: 1 }]);
});

test('of scans that failed the newest is made again, which does for all', async () => {
  await store('scan', 'failed', subjects(300));
  expect([await change('retry', 'scan'), await kinds()]).toEqual([
    1,
    [{ ...none, kind: 'scan', queued: 1, cancelled: 299 }],
  ]);
});

test('what waits is cancelled, and what runs goes on', async () => {
  await store('poster', 'queued', subjects(3));
  await store('poster', 'running', ['now']);
  await store('scan', 'queued', ['one']);
  expect([await change('cancel', 'poster'), await change('cancel', 'none')]).toEqual([3, 0]);
  expect(await kinds()).toEqual([
    { ...none, kind: 'poster', running: 1, cancelled: 3 },
    { ...none, kind: 'scan', queued: 1 },
  ]);
  await jobs.add([{ kind: 'scan', subject: 'another' }]);
  expect((await kinds())[1]).toMatchObject({ queued: 2 });
});

test('a kind has to be named', async () => {
  for (const payload of [{}, { kind: 7 }, { kind: 'x'.repeat(10_000) }])
    for (const act of ['retry', 'cancel'])
      expect((await server.call('POST', `/api/admin/jobs/${act}`, { payload })).statusCode).toBe(400);
});

async function jobRow(subject: string) {
  return database.reader.selectFrom('jobs').selectAll().where('subject', '=', subject).executeTakeFirstOrThrow();
}
