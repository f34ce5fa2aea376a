import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '#server/clock.ts';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { SweepTime } from '#server/database/sweep-time.ts';
import { JobCounts, jobAdmin } from '#server/features/admin/jobs.ts';
import { createIds } from '#server/ids.ts';
import type { JobKind, JobRun } from '#server/jobs/job.ts';
import { JobFailure, JobPostponed } from '#server/jobs/job.ts';
import { JobQueue } from '#server/jobs/job-queue.ts';
import { jobRepository } from '#server/jobs/job-repository.ts';
import { jobQueueRepository } from '#server/jobs/queue-repository.ts';
import type { RunnerTimes } from '#server/jobs/runner.ts';
import { Runner } from '#server/jobs/runner.ts';
import { createLog } from '#server/log.ts';
import { migratedDatabase } from '#tests/support/database/test-database.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const patient = { interval: 20 };

async function openMigrated(address?: DatabaseAddress): Promise<Database> {
  const database = openDatabase(address ?? (await migratedDatabase()));
  onTestFinished(() => database.close());
  await migrate(database, systemClock);
  return database;
}

const quick: Partial<RunnerTimes> = { poll: 20, heartbeat: 20, retryDelay: () => 0 };

interface Node {
  queue: JobQueue;
  runner: Runner;
}

function startNode(
  database: Database,
  kinds: readonly JobKind[],
  { clock = systemClock, times = quick, light = 1, log = createLog('silent') } = {},
): Node {
  const ids = createIds(clock);
  const queue = new JobQueue({ database, clock, ids });
  for (const kind of kinds) queue.register(kind);
  const runner = new Runner({
    queue,
    database,
    clock,
    sweepTime: new SweepTime({ database, clock }),
    ids,
    log,
    places: { media: 1, encode: 1, between: 1, light },
    times,
  });
  onTestFinished(() => runner.stop());
  runner.start();
  return { queue, runner };
}

function kindOf(run: (run: JobRun) => Promise<void>, more: Partial<JobKind> = {}): JobKind {
  return { kind: 'work', lane: 'light', attemptsMax: 3, run, ...more };
}

const nothing = async () => {};
const untilAborted = ({ signal }: JobRun) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const all = (database: Database) => jobRepository.list(database.reader, {}, { limit: 100, offset: 0 });
const only = async (database: Database) => (await all(database))[0];
const untilState = (database: Database, state: string) =>
  vi.waitFor(async () => expect(await only(database)).toMatchObject({ state }), patient);

/** A clock that a test sets. */
/** `advance` sets the time of day forward; `pass` lets time go by. */
function clockUnderTest(): Clock & { advance(ms: number): void; pass(ms: number): void } {
  let skipped = 0;
  let passed = 0;
  return {
    now: () => Date.now() + skipped + passed,
    elapsed: () => performance.now() + passed,
    advance: (ms) => {
      skipped += ms;
    },
    pass: (ms) => {
      passed += ms;
    },
  };
}

describe('a job', () => {
  test('runs once, with what it was queued with, and is remembered as done', async () => {
    const database = await openMigrated();
    const seen: unknown[] = [];
    const { queue } = startNode(database, [kindOf(async ({ job }) => void seen.push(job.payload))]);
    await queue.add([{ kind: 'work', subject: 'a', payload: { height: 540 } }]);
    await untilState(database, 'done');
    expect(seen).toEqual([{ height: 540 }]);
    expect(await only(database)).toMatchObject({ attempts: 1, progress: 100, error: null, subject: 'a' });
  });

  test('of one kind and subject is queued once, at the better priority, and anew when it has ended', async () => {
    const database = await openMigrated();
    const { queue, runner } = startNode(database, [kindOf(nothing)]);
    await runner.stop();
    await queue.add([50, 10, 90].map((priority) => ({ kind: 'work', subject: 'a', priority })));
    await queue.add([{ kind: 'work', subject: 'b' }]);
    expect((await all(database)).map((job) => job.subject).sort()).toEqual(['a', 'b']);
    const [first] = await database.reader.selectFrom('jobs').select('priority').where('subject', '=', 'a').execute();
    expect(first?.priority).toBe(10);
    const second = startNode(database, [kindOf(nothing)]);
    await vi.waitFor(
      async () => expect((await jobRepository.countByState(database.reader)).get('done')).toBe(2),
      patient,
    );
    await second.queue.add([{ kind: 'work', subject: 'a' }]);
    await vi.waitFor(
      async () => expect((await jobRepository.countByState(database.reader)).get('done')).toBe(3),
      patient,
    );
  });

  test('that matters more goes first, then the one that was queued first', async () => {
    const database = await openMigrated();
    const order: string[] = [];
    const { queue, runner } = startNode(database, [kindOf(nothing)]);
    await runner.stop();
    await queue.add(['c', 'd'].map((subject) => ({ kind: 'work', subject, priority: 20 })));
    await queue.add([{ kind: 'work', subject: 'a', priority: 1 }]);
    startNode(database, [kindOf(async ({ job }) => void order.push(job.subject))]);
    await vi.waitFor(() => expect(order.length).toBe(3), patient);
    expect(order[0]).toBe('a');
  });

  test('whose tools are missing goes back to the queue for a while, and has used up no attempt', async () => {
    const database = await openMigrated();
    const clock = clockUnderTest();
    let calls = 0;
    const kind = kindOf(async () => {
      calls += 1;
      if (calls < 5) throw new JobPostponed(60_000);
    });
    const { queue } = startNode(database, [kind], { clock });
    await queue.add([{ kind: 'work', subject: 'a' }]);
    for (let call = 1; call < 5; call += 1) {
      await vi.waitFor(async () => expect([calls, (await only(database))?.state]).toEqual([call, 'queued']), patient);
      expect(await only(database)).toMatchObject({ attempts: 0, error: null });
      clock.advance(60_000);
    }
    await untilState(database, 'done');
  });

  test('that fails is tried twice more and then has failed, with its reason; the queue moves on', async () => {
    const database = await openMigrated();
    const gaveUp: string[] = [];
    let attempts = 0;
    const kind = kindOf(
      async ({ job }) => {
        if (job.subject === 'good') return;
        attempts += 1;
        throw new JobFailure('The file is odd.');
      },
      {
        gaveUp: async ({ id, subject }, error) =>
          void gaveUp.push(`${subject}: ${error}`, (await jobRepository.find(database.reader, id))?.state ?? ''),
      },
    );
    const { queue } = startNode(database, [kind]);
    await queue.add([
      { kind: 'work', subject: 'bad' },
      { kind: 'work', subject: 'good' },
    ]);
    // Nobody sees that it has failed before what follows from that is written.
    await vi.waitFor(() => expect(gaveUp).toEqual(['bad: The file is odd.', 'running']), patient);
    await vi.waitFor(
      async () => expect((await jobRepository.countByState(database.reader)).get('done')).toBe(1),
      patient,
    );
    expect(attempts).toBe(3);
    expect((await all(database)).find((job) => job.subject === 'bad')).toMatchObject({
      state: 'failed',
      attempts: 3,
      error: 'The file is odd.',
    });
  });

  test('waits before it is tried again', async () => {
    const database = await openMigrated();
    const clock = clockUnderTest();
    const times = { ...quick, retryDelay: () => 60_000, lease: 3_600_000 };
    const { queue } = startNode(
      database,
      [kindOf(async ({ job }) => Promise.reject(new JobFailure(`${job.attempts}`)))],
      { clock, times },
    );
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await vi.waitFor(async () => expect(await only(database)).toMatchObject({ state: 'queued', error: '1' }), patient);
    clock.advance(60_001);
    await vi.waitFor(async () => expect(await only(database)).toMatchObject({ state: 'queued', error: '2' }), patient);
  });

  test('whose failure is final is not tried again', async () => {
    const database = await openMigrated();
    const { queue } = startNode(database, [
      kindOf(async () => Promise.reject(new JobFailure('Never.', { isFinal: true }))),
    ]);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'failed');
    expect(await only(database)).toMatchObject({ attempts: 1 });
  });

  test('that surprises says nothing of what happened inside', async () => {
    const database = await openMigrated();
    const { queue } = startNode(database, [kindOf(async () => Promise.reject(new Error('ENOENT /home/somebody')))]);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'failed');
    expect((await only(database))?.error).not.toContain('somebody');
  });

  test('tells how far it is', async () => {
    const database = await openMigrated();
    const { queue } = startNode(database, [
      kindOf((run) => {
        run.report(41.7);
        return untilAborted(run);
      }),
    ]);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await vi.waitFor(
      async () => expect(await only(database)).toMatchObject({ state: 'running', progress: 42 }),
      patient,
    );
  });

  test('of a kind that this node does not know is left to others', async () => {
    const database = await openMigrated();
    const { queue, runner } = startNode(database, [kindOf(nothing)]);
    await runner.stop();
    await queue.add([{ kind: 'work', subject: 'a' }]);
    const done: string[] = [];
    const other = startNode(database, [kindOf(async () => void done.push('other'), { kind: 'other' })]);
    await other.queue.add([{ kind: 'other', subject: 'b' }]);
    await vi.waitFor(() => expect(done).toEqual(['other']), patient);
    expect((await all(database)).find((job) => job.subject === 'a')).toMatchObject({ state: 'queued' });
  });

  test('is forgotten some time after it has ended', async () => {
    const database = await openMigrated();
    const clock = clockUnderTest();
    const first = startNode(
      database,
      [
        kindOf(async ({ job }) =>
          job.subject === 'bad' ? Promise.reject(new JobFailure('x', { isFinal: true })) : undefined,
        ),
      ],
      { clock },
    );
    await first.queue.add([
      { kind: 'work', subject: 'good' },
      { kind: 'work', subject: 'bad' },
    ]);
    await vi.waitFor(
      async () =>
        expect(Object.fromEntries(await jobRepository.countByState(database.reader))).toEqual({ done: 1, failed: 1 }),
      patient,
    );
    clock.pass(2 * 24 * 3_600_000);
    await vi.waitFor(
      async () => expect(Object.fromEntries(await jobRepository.countByState(database.reader))).toEqual({ failed: 1 }),
      patient,
    );
  });
});

describe('cancelling', () => {
  test('takes a queued job out, and retrying puts it back', async () => {
    const database = await openMigrated();
    const { queue, runner } = startNode(database, [kindOf(nothing)]);
    await runner.stop();
    await queue.add([{ kind: 'work', subject: 'a' }]);
    const { id = '' } = (await only(database)) ?? {};
    expect(await queue.retry(id)).toBe('done');
    expect([await queue.cancel(id), await queue.cancel(id)]).toEqual(['done', 'done']);
    expect(await only(database)).toMatchObject({ state: 'cancelled' });
    expect(await queue.retry(id)).toBe('done');
    startNode(database, [kindOf(nothing)]);
    await untilState(database, 'done');
    expect([await queue.cancel(id), await queue.retry(id), await queue.cancel('no-such')]).toEqual([
      'ended',
      'ended',
      'unknown',
    ]);
  });

  test.each(['this node', 'another node'])('ends a job that runs on %s', async (where) => {
    const database = await openMigrated();
    const reasons: unknown[] = [];
    const kind = kindOf((run) => {
      run.signal.addEventListener('abort', () => reasons.push(run.signal.reason));
      return untilAborted(run);
    });
    const { queue } = startNode(database, [kind]);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'running');
    const canceller =
      where === 'this node' ? queue : new JobQueue({ database, clock: systemClock, ids: createIds(systemClock) });
    await canceller.cancel((await only(database))?.id ?? '');
    await vi.waitFor(() => expect(reasons.length).toBe(1), patient);
    expect(await only(database)).toMatchObject({ state: 'cancelled' });
  });

  test('a job does not stand in the way of the same work, which then cannot be retried twice', async () => {
    const database = await openMigrated();
    const { queue, runner } = startNode(database, [kindOf(nothing)]);
    await runner.stop();
    await queue.add([{ kind: 'work', subject: 'a' }]);
    const { id = '' } = (await only(database)) ?? {};
    await queue.cancel(id);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    expect(await queue.retry(id)).toBe('ended');
    expect(Object.fromEntries(await jobRepository.countByState(database.reader))).toEqual({ cancelled: 1, queued: 1 });
  });
});

describe('a runner', () => {
  test('works on as many jobs of a lane as it has places', async () => {
    const database = await openMigrated();
    const gate = Promise.withResolvers<void>();
    let running = 0;
    let most = 0;
    const kind = kindOf(async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) gate.resolve();
      await gate.promise;
      running -= 1;
    });
    const { queue } = startNode(database, [kind], { light: 2 });
    await queue.add(Array.from({ length: 10 }, (_, index) => ({ kind: 'work', subject: `${index}` })));
    await vi.waitFor(
      async () => expect((await jobRepository.countByState(database.reader)).get('done')).toBe(10),
      patient,
    );
    expect(most).toBe(2);
  });

  test('that stops gives its jobs back at once, without counting the attempt', async () => {
    const database = await openMigrated();
    const { queue, runner } = startNode(database, [kindOf(untilAborted)]);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'running');
    await runner.stop();
    expect(await only(database)).toMatchObject({ state: 'queued', attempts: 0, error: null });
  });

  test('that has lost its lease stops, and changes nothing that belongs to another', async () => {
    const database = await openMigrated();
    const aborted: string[] = [];
    const { queue } = startNode(database, [
      kindOf((run) => untilAborted(run).catch(() => void aborted.push(run.job.subject))),
    ]);
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'running');
    await database.write((transaction) => transaction.updateTable('jobs').set({ lease: 'somebody else' }).execute());
    await vi.waitFor(() => expect(aborted).toEqual(['a']), patient);
    expect(await database.reader.selectFrom('jobs').select(['state', 'lease']).execute()).toEqual([
      { state: 'running', lease: 'somebody else' },
    ]);
  });

  test('does not take its own jobs for abandoned when the clock is set forward', async () => {
    const database = await openMigrated();
    const clock = clockUnderTest();
    let starts = 0;
    const { queue } = startNode(
      database,
      [
        kindOf((run) => {
          starts += 1;
          return untilAborted(run);
        }),
      ],
      { clock, light: 2 },
    );
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'running');
    const before = await leaseEnd(database);
    clock.advance(3_600_000);
    await vi.waitFor(async () => expect(await leaseEnd(database)).toBeGreaterThan(before + 3_000_000), patient);
    expect([starts, (await only(database))?.attempts]).toEqual([1, 1]);
  });

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('nor when it is set %s by an hour between any two looks at it', async (_, stepMs) => {
    const database = await openMigrated();
    let [skipped, looks] = [0, 0];
    let isSet = false;
    const clock: Clock = {
      now: () => {
        looks += 1;
        skipped += isSet ? stepMs : 0;
        return Date.now() + skipped;
      },
      elapsed: () => performance.now(),
    };
    let starts = 0;
    const { queue } = startNode(
      database,
      [
        kindOf((run) => {
          starts += 1;
          return untilAborted(run);
        }),
      ],
      { clock, light: 2 },
    );
    await queue.add([{ kind: 'work', subject: 'a' }]);
    await untilState(database, 'running');
    isSet = true;
    const before = looks;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(before + 100), patient);
    expect(starts).toBe(1);
    expect(await only(database)).toMatchObject({ state: 'running', attempts: 1 });
  });

  test('gives up a job whose last attempt ended with its process', async () => {
    const database = await openMigrated();
    const ids = createIds(systemClock);
    const queue = new JobQueue({ database, clock: systemClock, ids });
    const gaveUp: string[] = [];
    const kind = kindOf(nothing, { attemptsMax: 1, gaveUp: async (job) => void gaveUp.push(job.subject) });
    queue.register(kind);
    await queue.add([{ kind: 'work', subject: 'deadly' }]);
    const now = systemClock.now();
    const claim = { lane: 'light', kinds: ['work'], lease: 'dead', leaseUntil: now - 1, node: 'dead', now } as const;
    expect(
      await database.write((transaction) => jobRepository.claim(transaction, database.dialect, claim)),
    ).toMatchObject({
      attempts: 1,
    });
    startNode(database, [kind]);
    await vi.waitFor(() => expect(gaveUp).toEqual(['deadly']), patient);
    expect(await only(database)).toMatchObject({ state: 'failed' });
  });
});

describe('two processes on one database', () => {
  const script = fileURLToPath(new URL('../../support/processes/claiming-process.ts', import.meta.url));

  /** @param leaseMs long where nobody is to lose a job to somebody else, however slow the machine is */
  function startProcess(address: DatabaseAddress, leaseMs = 60_000) {
    const child = spawn(process.execPath, [script, JSON.stringify(address), String(leaseMs)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return { child, ran: () => said.split('\n').filter(Boolean) };
  }

  async function end(child: ChildProcess): Promise<void> {
    const ended = once(child, 'exit');
    child.stdin?.end();
    await ended;
  }

  test('run every job, and none twice', async () => {
    const address = await migratedDatabase();
    const database = await openMigrated(address);
    const queue = new JobQueue({ database, clock: systemClock, ids: createIds(systemClock) });
    queue.register(kindOf(nothing, { kind: 'count' }));
    const subjects = Array.from({ length: 300 }, (_, index) => `job-${index}`);
    const nodes = [startProcess(address), startProcess(address)];
    await queue.add(subjects.map((subject) => ({ kind: 'count', subject })));
    await vi.waitFor(
      async () => expect((await jobRepository.countByState(database.reader)).get('done')).toBe(subjects.length),
      {
        interval: 100,
      },
    );
    await Promise.all(nodes.map(({ child }) => end(child)));
    expect(nodes.flatMap(({ ran }) => ran()).sort()).toEqual([...subjects].sort());
  });

  test('a job whose process is killed is taken over once its lease has run out', async () => {
    const address = await migratedDatabase();
    const database = await openMigrated(address);
    const queue = new JobQueue({ database, clock: systemClock, ids: createIds(systemClock) });
    queue.register(kindOf(nothing, { kind: 'hang' }));
    const first = startProcess(address, 1_000);
    await queue.add([{ kind: 'hang', subject: 'a' }]);
    await vi.waitFor(() => expect(first.ran()).toEqual(['a']), patient);
    first.child.kill('SIGKILL');
    const second = startProcess(address);
    await vi.waitFor(() => expect(second.ran()).toEqual(['a']), patient);
    expect(await only(database)).toMatchObject({ state: 'running', attempts: 2 });
    await end(second.child);
    expect(await only(database)).toMatchObject({ state: 'queued', attempts: 1 });
  });
});

async function leaseEnd(database: Database): Promise<number> {
  const row = await database.reader.selectFrom('jobs').select('lease_until').executeTakeFirstOrThrow();
  return row.lease_until ?? 0;
}

describe('a list of jobs', () => {
  const plainJob = {
    kind: 'poster',
    active_key: null,
    state: 'done' as const,
    lane: 'light' as const,
    priority: 1,
    run_at: 1,
    attempts: 0,
    attempts_max: 1,
    progress: 0,
    payload: '{}',
    created_at: 1,
  };

  test('has each job of its kind and state once on its pages, newest first, from whichever end it is read', async () => {
    const database = await openMigrated();
    const states = ['queued', 'running', 'failed', 'done', 'cancelled'] as const;
    const rows = Array.from({ length: 47 }, (_, index) => ({
      ...plainJob,
      id: `job-${String((index * 13) % 47).padStart(2, '0')}`,
      kind: index % 3 === 0 ? 'poster' : 'encode',
      subject: `${index}`,
      state: states[index % 5] ?? ('done' as const),
    }));
    await database.write((transaction) => jobQueueRepository.insert(transaction, rows));
    const counts = new JobCounts(database, systemClock);
    for (const kind of [undefined, 'poster', 'encode', 'none'])
      for (const state of [undefined, ...states]) {
        const expected = rows.filter((row) => row.kind === (kind ?? row.kind) && row.state === (state ?? row.state));
        const newestFirst = expected.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1));
        const first = await jobAdmin.readPage(database, counts, { kind, state, page: 1, limit: 4 });
        const ids: string[] = [];
        for (let page = 1; page <= first.total_pages + 1; page += 1)
          ids.push(
            ...(await jobAdmin.readPage(database, counts, { kind, state, page, limit: 4 })).jobs.map((job) => job.id),
          );
        expect([ids, first.total]).toEqual([newestFirst, expected.length]);
      }
  });

  test('counts a few jobs anew for each call, and many beside the calls', async () => {
    const database = await openMigrated();
    const clock = settableClock();
    const store = (id: string) =>
      database.write((transaction) => jobQueueRepository.insert(transaction, [{ ...plainJob, id, subject: id }]));
    const counts = new JobCounts(database, clock, 3);
    const total = async () => (await jobAdmin.readPage(database, counts, { page: 1, limit: 4 })).total;
    expect(await total()).toBe(0);
    for (const id of ['a', 'b', 'c']) await store(id);
    expect(await total()).toBe(3);
    await store('d');
    expect(await total()).toBe(3);
    clock.pass(2_001);
    expect(await total()).toBe(3);
    await vi.waitFor(async () => expect(await total()).toBe(4), patient);
    await store('e');
    clock.pass(60_001);
    expect(await total()).toBe(5);
  });
});

test('a queue that cannot be reached is told of when that begins and when it ends, not at each turn', async () => {
  const database = await openMigrated();
  let isAway = true;
  let refused = 0;
  const write: Database['write'] = async (work) => {
    if (!isAway) return database.write(work);
    refused += 1;
    throw new Error('connect ECONNREFUSED');
  };
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  startNode({ ...database, write }, [kindOf(nothing)], { log });
  await vi.waitFor(() => expect(refused).toBeGreaterThan(3), patient);
  isAway = false;
  await vi.waitFor(() => expect(lines.at(-1)).toContain('can be reached again'), patient);
  expect(lines).toEqual([expect.stringContaining('ECONNREFUSED'), expect.stringContaining('can be reached again')]);
});
