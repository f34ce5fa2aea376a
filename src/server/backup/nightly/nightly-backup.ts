import type { Clock } from '../../clock.ts';
import type { Database, DatabaseAddress } from '../../database/connection.ts';
import type { Env } from '../../env.ts';
import type { JobRun } from '../../jobs/job.ts';
import { JobFailure } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Log } from '../../log.ts';
import type { Repetition } from '../../repeat.ts';
import { repeat } from '../../repeat.ts';
import type { BackupRecord } from './backup-state-repository.ts';
import { readBackupRecord, writeBackupRecord } from './backup-state-repository.ts';
import { lastQuietHour } from './quiet-hour.ts';
import { runNightly } from './run-nightly.ts';

export interface NightlyBackupDeps {
  env: Pick<Env, 'backupFolder' | 'dataFolder'>;
  address: DatabaseAddress;
  database: Database;
  clock: Clock;
  log: Log;
  queue: JobQueue;
  /** Of the product. */
  version: string;
}

const backupKind = 'backup';
const lookEveryMs = 60_000;
/** The first and two more, within a minute. */
const attemptsMax = 3;

/**
 * A backup every night, where `BACKUP_DIR` is set: at four o'clock, or as soon as the server runs again. A durable job,
 * so that one of several nodes makes it.
 */
export class NightlyBackup {
  private readonly deps: NightlyBackupDeps;
  private timer: Repetition | undefined;

  constructor(deps: NightlyBackupDeps) {
    this.deps = deps;
    if (deps.env.backupFolder !== undefined)
      deps.queue.register({ kind: backupKind, lane: 'light', attemptsMax, run: (run) => this.make(run) });
  }

  /** Looks now and each minute whether one is due. */
  async start(): Promise<void> {
    if (this.deps.env.backupFolder === undefined) return;
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
    if (!this.isDue(await readBackupRecord(database.reader))) return;
    await queue.add([{ kind: backupKind, subject: 'nightly' }]);
  }

  /** One attempt a night, however it went; the queue repeats it by itself. */
  private isDue({ latest, failure }: BackupRecord): boolean {
    const now = this.deps.clock.now();
    // One of the future was made while the clock was wrong.
    const isOld = (at: number) => at < lastQuietHour(now) || at > now;
    return [latest, failure].every((attempt) => attempt === null || isOld(Date.parse(attempt.at)));
  }

  private async make({ job, signal }: JobRun): Promise<void> {
    const { env, address, database, version, log, clock } = this.deps;
    const record = await readBackupRecord(database.reader);
    // Another node was faster, or somebody tries a failed one again that has succeeded since.
    if (record.failure === null && !this.isDue(record)) return;
    const folder = env.backupFolder ?? '';
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
    return database.write((transaction) => writeBackupRecord(transaction, record, clock.now()));
  }
}
