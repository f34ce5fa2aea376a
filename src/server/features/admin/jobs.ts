import type { Job, JobKindList, JobList } from '#contract/entities/library.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { JobAnswer, JobQueue } from '../../jobs/job-queue.ts';
import type { JobFilter, ListedJob } from '../../jobs/job-repository.ts';
import { jobRepository } from '../../jobs/job-repository.ts';

interface JobPage extends JobFilter {
  page: number;
  limit: number;
}

/** Jobs, as administrators read and change them. */
export const jobAdmin = {
  /** Jobs, newest first. */
  async readPage({ reader }: Database, { kind, state, page, limit }: JobPage): Promise<JobList> {
    const total = await jobRepository.count(reader, { kind, state });
    const jobs = await jobRepository.list(reader, { kind, state }, { limit, offset: (page - 1) * limit, total });
    return { jobs: jobs.map(toJob), total, total_pages: lastPageOf(total, limit), page, limit };
  },

  /** The counts of each kind: ten thousand poster jobs are one entry. */
  async readKinds({ reader }: Database): Promise<JobKindList> {
    const none = { queued: 0, running: 0, failed: 0, done: 0, cancelled: 0 };
    const kinds = await jobRepository.countKinds(reader);
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
