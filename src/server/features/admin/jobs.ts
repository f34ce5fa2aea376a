import type { Job, JobKindList, JobList } from '#contract/entities/library.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { JobAnswer, JobQueue } from '../../jobs/job-queue.ts';
import type { JobFilter, ListedJob } from '../../jobs/job-repository.ts';
import { jobRepository } from '../../jobs/job-repository.ts';

interface JobPage extends JobFilter {
  page: number;
  limit: number;
}

type Counts = Awaited<ReturnType<typeof jobRepository.countKinds>>;

/**
 * The numbers of stored jobs. PostgreSQL counts 400,000 of them in a tenth of a second, so large
 * numbers are counted beside the calls that read them, and may be late by a few jobs.
 */
export class JobCounts {
  private readonly database: Pick<Database, 'reader'>;
  private readonly clock: Clock;
  private readonly exactBelow: number;
  private isCounting = false;
  private known: { counts: Counts; total: number; at: number } | null = null;

  /** @param exactBelow the number of jobs from which counts may be late */
  constructor(database: Pick<Database, 'reader'>, clock: Clock, exactBelow = 20_000) {
    this.database = database;
    this.clock = clock;
    this.exactBelow = exactBelow;
  }

  /** Jobs by kind and state. */
  async read(): Promise<Counts> {
    const { known } = this;
    const age = known === null ? 0 : this.clock.elapsed() - known.at;
    if (known === null || known.total < this.exactBelow || age > keptMs) return this.count();
    if (age > freshMs && !this.isCounting) this.countBeside();
    return known.counts;
  }

  /** A failure leaves the numbers as they are. */
  private async countBeside(): Promise<void> {
    this.isCounting = true;
    await this.count().catch(() => {});
    this.isCounting = false;
  }

  private async count(): Promise<Counts> {
    const counts = await jobRepository.countKinds(this.database.reader);
    this.known = { counts, total: sumOf(counts, {}), at: this.clock.elapsed() };
    return counts;
  }
}

/** Numbers older than this are counted again beside the call. */
const freshMs = 2_000;
/** Numbers older than this are not shown. */
const keptMs = 60_000;

function sumOf(counts: Counts, { kind, state }: JobFilter): number {
  let sum = 0;
  for (const [name, states] of counts)
    if (kind === undefined || kind === name)
      for (const [each, count] of states) if (state === undefined || state === each) sum += count;
  return sum;
}

/** Jobs, as administrators read and change them. */
export const jobAdmin = {
  /** Jobs, newest first. */
  async readPage({ reader }: Database, counts: JobCounts, { kind, state, page, limit }: JobPage): Promise<JobList> {
    const total = sumOf(await counts.read(), { kind, state });
    const jobs = await jobRepository.list(reader, { kind, state }, { limit, offset: (page - 1) * limit, total });
    return { jobs: jobs.map(toJob), total, total_pages: lastPageOf(total, limit), page, limit };
  },

  /** The counts of each kind: ten thousand poster jobs are one entry. */
  async readKinds(counts: JobCounts): Promise<JobKindList> {
    const none = { queued: 0, running: 0, failed: 0, done: 0, cancelled: 0 };
    const kinds = await counts.read();
    return { kinds: [...kinds].map(([kind, counts]) => ({ kind, ...none, ...Object.fromEntries(counts) })) };
  },

  /** @throws NotFound, Refusal 409 for a job that has ended */
  async cancel(queue: JobQueue, id: string): Promise<void> {
    refuse(await queue.cancel(id), 'This work has ended already.');
  },

  /** @throws NotFound, Refusal 409 for a job that need not run again */
  async retry(queue: JobQueue, id: string): Promise<void> {
    refuse(await queue.retry(id), 'This work need not be done again.');
  },
};

function refuse(answer: JobAnswer, tooLate: string): void {
  if (answer === 'unknown') throw new NotFound('job');
  if (answer === 'ended') throw new Refusal('conflict', { message: tooLate });
}

function toJob(job: ListedJob): Job {
  return {
    id: job.id,
    kind: job.kind,
    state: job.state,
    progress: job.progress,
    attempts: job.attempts,
    error: job.error,
    video_id: job.videoId,
    created_at: toText(job.createdAt),
    started_at: job.startedAt === null ? null : toText(job.startedAt),
    finished_at: job.finishedAt === null ? null : toText(job.finishedAt),
  };
}

function toText(instant: number): string {
  return new Date(instant).toISOString();
}
