import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { sql } from 'kysely';
import { performanceReportSchema } from '#contract/entities/performance.ts';
import { timeWindows } from '#contract/rules/health.ts';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { SweepTime } from '#server/database/sweep-time.ts';
import { PlaybackHealth } from '#server/features/performance/playback-health.ts';
import { readSamples } from '#server/features/performance/samples.ts';
import { createIds } from '#server/ids.ts';
import { createLog } from '#server/log.ts';
import { startPostgres } from '#tests/support/database/postgres.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { amount } from './form.ts';
import { reportOf, storePlayedVideos, viewers } from './playback-reports.ts';
import { median, quantile } from './samples.ts';
import type { Amount } from './table.ts';
import { printAmounts } from './table.ts';

const turnSeconds = 10;
const reportSeconds = 30;
const hours = Number(process.env.HOURS ?? amount(24, 0.1));
/** The end is fed second by second, what came before with every 30th second: rows are as many, samples are fewer. */
const wholeMinutes = amount(10, 1);
const rounds = amount(200, 3);
/** Ten minutes: autovacuum looks once a minute, and comes when a fifth of the rows has changed. */
const vacuumTurns = 60;

/** A day of 1,000 viewers at the roll-up, and what the dashboard asks afterwards, on both databases. */
export async function measurePerformance(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-bench-'));
  await measureOn('SQLite', { kind: 'sqlite', file: join(folder, 'fourfold.sqlite') });
  rmSync(folder, { recursive: true, force: true });
  const postgres = await startPostgres();
  await measureOn('PostgreSQL', { kind: 'postgres', url: postgres.url });
  await postgres.stop();
}

async function measureOn(name: string, address: DatabaseAddress): Promise<void> {
  const database = openDatabase(address);
  await migrate(database, systemClock);
  await storePlayedVideos(database);
  const site = openSite(database);
  const rows = [...(await measureFeeding(site)), ...(await measureStorage(database)), ...(await measureQueries(site))];
  printAmounts(`Performance: ${viewers} viewers, ${hours} h, ${name}`, rows);
  await database.close();
}

type Site = ReturnType<typeof openSite>;

function openSite(database: Database) {
  const clock = settableClock();
  const log = createLog('silent');
  return {
    clock,
    database,
    health: new PlaybackHealth({
      database,
      sweepTime: new SweepTime({ database, clock }),
      clock,
      ids: createIds(clock),
      log,
    }),
  };
}

async function measureFeeding(site: Site): Promise<Amount[]> {
  const turns = (hours * 3_600) / turnSeconds;
  const wholeFrom = turns - (wholeMinutes * 60) / turnSeconds;
  const writes: number[] = [];
  let [batches, cpuMs] = [0, 0];
  for (let turn = 0; turn < turns; turn += 1) {
    site.clock.pass(turnSeconds * 1_000);
    const isWhole = turn >= wholeFrom;
    const before = process.cpuUsage();
    const reports = feed(site, turn, isWhole ? 1 : reportSeconds);
    if (isWhole) {
      const { user, system } = process.cpuUsage(before);
      cpuMs += (user + system) / 1_000;
      batches += reports;
    }
    const begun = performance.now();
    await site.health.write();
    writes.push(performance.now() - begun);
    if (turn % vacuumTurns === 0) await vacuum(site.database);
    // What statements held is freed between tasks alone.
    await breathe();
  }
  const busy = writes.reduce((sum, ms) => sum + ms, 0) / (turns * turnSeconds * 1_000);
  return [
    { what: 'processor time of a report of 120 samples', value: cpuMs / batches, unit: 'ms', goal: 1, floor: 5 },
    { what: 'share of time in which it writes', value: busy * 100, unit: '%', goal: 5, floor: 10 },
    {
      what: `a write, p50 (p99 ${quantile(writes, 0.99).toFixed(1)})`,
      value: median(writes),
      unit: 'ms',
      goal: 50,
      floor: 500,
    },
  ];
}

/** A third of the viewers, whose turn it is; whole reports as they come over the wire. @returns how many there were */
function feed({ clock, health }: Site, turn: number, everySeconds: number): number {
  const now = clock.now();
  const groups = reportSeconds / turnSeconds;
  let reports = 0;
  for (let viewer = turn % groups; viewer < viewers; viewer += groups) {
    const report = reportOf(viewer, now, { seconds: reportSeconds, everySeconds });
    const isWhole = everySeconds === 1;
    const read = isWhole ? performanceReportSchema.parse(JSON.parse(JSON.stringify(report))) : report;
    const reporter = { viewer: `viewer-${viewer}`, address: `${viewer % 200}`, network: '', form: null, standsFor: 1 };
    health.record(reporter, readSamples(read, 'all', now));
    reports += 1;
  }
  return reports;
}

/** As autovacuum does, which has no time for it in a day of minutes. */
async function vacuum({ dialect, reader }: Database): Promise<void> {
  if (dialect.kind === 'postgres')
    for (const table of tables) await sql`vacuum analyze ${sql.table(table)}`.execute(reader);
}

/** The most rows that a process may have in each. */
const rowGoals = { playback_stats: 8_000, video_stats: 27_000 } as const;
const tables = Object.keys(rowGoals) as (keyof typeof rowGoals)[];

async function measureStorage(database: Database): Promise<Amount[]> {
  const amounts: Amount[] = [];
  for (const table of tables) {
    const { rows } = await database.reader
      .selectFrom(table)
      .select(sql<number>`count(*)`.as('rows'))
      .executeTakeFirstOrThrow();
    amounts.push({
      what: `rows of ${table}`,
      value: rows,
      unit: '',
      goal: rowGoals[table],
      floor: 2 * rowGoals[table],
    });
    const mebibytes = (await readBytes(database, table)) / 1_048_576;
    amounts.push({ what: `${table} with its index`, value: mebibytes, unit: 'MiB', goal: 10, floor: 30 });
  }
  return amounts;
}

async function readBytes({ dialect, reader }: Database, table: string): Promise<number> {
  const query =
    dialect.kind === 'sqlite'
      ? sql<{
          bytes: number;
        }>`select sum(pgsize) as bytes from dbstat where name in (${table}, ${`sqlite_autoindex_${table}_1`})`
      : sql<{ bytes: number }>`select pg_total_relation_size(${table}) as bytes`;
  const { rows } = await query.execute(reader);
  return Number(rows[0]?.bytes);
}

async function measureQueries({ health }: Site): Promise<Amount[]> {
  const amounts: Amount[] = [];
  for (const duration of timeWindows) {
    amounts.push(await measure(`a quadrant, ${duration}`, () => health.read('top-left', duration)));
    amounts.push(await measure(`troubled videos, ${duration}`, () => health.listTroubledVideos(duration)));
  }
  amounts.push(await measure('all quadrants, 24h', () => health.read('all', '24h')));
  return amounts;
}

async function measure(what: string, query: () => Promise<unknown>): Promise<Amount> {
  const took: number[] = [];
  for (let round = 0; round < rounds + 10; round += 1) {
    const begun = performance.now();
    await query();
    took.push(performance.now() - begun);
  }
  const samples = took.slice(10);
  return {
    what: `${what}, p99 (p50 ${median(samples).toFixed(1)})`,
    value: quantile(samples, 0.99),
    unit: 'ms',
    goal: 20,
    floor: 60,
  };
}
