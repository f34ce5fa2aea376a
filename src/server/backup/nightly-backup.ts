import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import type { Database, DatabaseAddress } from '../database/connection.ts';
import type { Env } from '../env.ts';
import type { JobRun } from '../jobs/job.ts';
import { JobFailure } from '../jobs/job.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Log } from '../log.ts';
import type { Repetition } from '../repeat.ts';
import { repeat } from '../repeat.ts';
import type { BackupRecord } from './backup-repository.ts';
import { backupRepository, lastBackupTime } from './backup-repository.ts';
import type { BackupOrder } from './write-backup.ts';

interface NightlyBackupDeps {
  env: Pick<Env, 'backupFolder' | 'backupHour' | 'dataFolder'>;
  address: DatabaseAddress;
  database: Database;
  clock: Clock;
  log: Log;
  queue: JobQueue;
  /** Version of the product. */
  version: string;
}

const backupKind = 'backup';
const lookEveryMs = 60_000;
/** The queue makes the two further attempts within a minute. */
const attemptsMax = 3;

/**
 * Makes a backup every night while `BACKUP_DIR` is set: at `BACKUP_HOUR`, or at the next start of
 * the server. It is a durable job, so only one of several nodes makes it.
 */
export class NightlyBackup {
  private readonly deps: NightlyBackupDeps;
  private timer: Repetition | undefined;

  constructor(deps: NightlyBackupDeps) {
    this.deps = deps;
    this.register();
  }

  /** Checks now and then every minute whether a backup is due. */
  async start(): Promise<void> {
    this.timer ??= repeat(
      () => this.queueWhenDue(),
      lookEveryMs,
      (err) => this.deps.log.warn({ err }, 'whether a backup is due cannot be seen at the moment'),
    );
    await this.queueWhenDue();
  }

  stop(): void {
    this.timer?.stop();
  }

  async queueWhenDue(): Promise<void> {
    const { database, queue } = this.deps;
    if (!this.register()) return;
    if (!this.isDue(await backupRepository.readRecord(database.reader))) return;
    await queue.add([{ kind: backupKind, subject: 'nightly' }]);
  }

  /** @returns false while no folder for backups is set; then there is no such job */
  private register(): boolean {
    const { env, queue } = this.deps;
    if (env.backupFolder === undefined) return false;
    if (queue.kind(backupKind) === undefined)
      queue.register({ kind: backupKind, lane: 'light', attemptsMax, run: (run) => this.make(run) });
    return true;
  }

  /**
   * True if there was neither a backup nor a failed one since the hour of backups. The queue
   * repeats failed attempts.
   */
  private isDue({ latest, failure }: BackupRecord): boolean {
    const now = this.deps.clock.now();
    const last = lastBackupTime(now, this.deps.env.backupHour);
    // A backup with a time in the future was made while the clock was wrong.
    const isOld = (at: number) => at < last || at > now;
    return [latest, failure].every((attempt) => attempt === null || isOld(Date.parse(attempt.at)));
  }

  private async make({ job, signal }: JobRun): Promise<void> {
    const { env, address, database, version, log, clock } = this.deps;
    const folder = env.backupFolder;
    if (folder === undefined) return;
    const record = await backupRepository.readRecord(database.reader);
    // Another node has already made it, or a person retries a failed job after a later success.
    if (record.failure === null && !this.isDue(record)) return;
    const at = clock.now();
    const report = await runNightly({ dataFolder: env.dataFolder, address, version, folder, at }, signal);
    signal.throwIfAborted();
    if (report.kind === 'failed') {
      await this.write({ ...record, failure: { at: new Date(at).toISOString(), message: report.message } });
      log.error({ job: job.id }, `the nightly backup failed: ${report.message}`);
      throw new JobFailure(report.message);
    }
    const { file, bytes, removed, rotationFailure } = report;
    await this.write({ latest: { at: new Date(at).toISOString(), file, bytes }, failure: null });
    log.info({ file, bytes, removed }, 'the nightly backup is made');
    if (rotationFailure !== null) log.warn(`older backups could not be removed: ${rotationFailure}`);
  }

  private write(record: BackupRecord): Promise<void> {
    const { database, clock } = this.deps;
    return database.write((transaction) => backupRepository.writeRecord(transaction, record, clock.now()));
  }
}

const program = fileURLToPath(new URL('nightly-process.ts', import.meta.url));

/**
 * Makes a backup in a child process, which ends together with this process and when the signal
 * aborts.
 */
async function runNightly(order: NightlyOrder, signal: AbortSignal): Promise<NightlyReport> {
  const { promise, resolve } = Promise.withResolvers<NightlyReport>();
  const child = fork(program, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const kill = () => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  child
    .once('error', (error) => resolve({ kind: 'failed', message: `It could not be begun: ${error.message}` }))
    .once('exit', () => resolve({ kind: 'failed', message: 'The process that made it ended before it was done.' }))
    .on('message', (message) => resolve(nightlyReportSchema.parse(message)));
  child.send(order, () => {});
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

/** The message to the process that makes a nightly backup. */
export type NightlyOrder = Pick<BackupOrder, 'dataFolder' | 'address' | 'version'> & {
  folder: string;
  /** Epoch milliseconds; the backup's name contains this time. */
  at: number;
};

/** The final message of that process. */
const nightlyReportSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('made'),
    file: z.string(),
    bytes: z.number(),
    /** Names of the older backups that were removed. */
    removed: z.array(z.string()),
    rotationFailure: z.string().nullable(),
  }),
  z.object({ kind: z.literal('failed'), message: z.string() }),
]);
export type NightlyReport = z.infer<typeof nightlyReportSchema>;
