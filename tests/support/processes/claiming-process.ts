import { systemClock } from '#server/clock.ts';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { SweepTime } from '#server/database/sweep-time.ts';
import { createIds } from '#server/ids.ts';
import { JobQueue } from '#server/jobs/job-queue.ts';
import { Runner } from '#server/jobs/runner.ts';
import { createLog } from '#server/log.ts';

/*
 * A node that works on `count` jobs: started as a process of its own with the address of the database and the length
 * of its leases in milliseconds. It writes the subject of each job that it runs to standard output, and ends when its input does. A job called `hang` never ends by
 * itself.
 */
const address = JSON.parse(process.argv[2] ?? '') as DatabaseAddress;
const database = openDatabase(address);
const clock = systemClock;
const ids = createIds(clock);
const queue = new JobQueue({ database, clock, ids });

queue.register({
  kind: 'count',
  lane: 'light',
  attemptsMax: 3,
  run: async ({ job }) => void process.stdout.write(`${job.subject}\n`),
});
queue.register({
  kind: 'hang',
  lane: 'light',
  attemptsMax: 3,
  run: ({ job, signal }) => {
    process.stdout.write(`${job.subject}\n`);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
});

const times = { poll: 20, heartbeat: 50, lease: Number(process.argv[3]) };
const runner = new Runner({
  queue,
  database,
  clock,
  sweepTime: new SweepTime({ database, clock }),
  ids,
  log: createLog('silent'),
  places: { media: 1, encode: 1, between: 1, light: 2 },
  times,
});
runner.start();
process.stdin.on('end', async () => {
  await runner.stop();
  await database.close();
  process.exit(0);
});
process.stdin.resume();
