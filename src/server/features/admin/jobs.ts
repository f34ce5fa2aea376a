import type { JobList } from '#contract/entities/site/job.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import type { JobState } from '../../jobs/job.ts';
import type { JobAnswer, JobQueue } from '../../jobs/job-queue.ts';
import { countJobs, listJobs } from '../../jobs/job-repository.ts';
import { toJob } from './job-reply.ts';

export interface JobPage {
  state?: JobState | undefined;
  page: number;
  limit: number;
}

/** Newest first. */
export async function readJobPage({ reader }: Database, { state, page, limit }: JobPage): Promise<JobList> {
  const counts = await countJobs(reader);
  const total =
    state === undefined ? [...counts.values()].reduce((sum, count) => sum + count, 0) : (counts.get(state) ?? 0);
  const jobs = await listJobs(reader, state, { limit, offset: (page - 1) * limit });
  return { jobs: jobs.map(toJob), total, total_pages: lastPageOf(total, limit), page, limit };
}

/** @throws NotFound, Refusal 409 for a job that has ended already */
export async function cancelJob(queue: JobQueue, id: string): Promise<void> {
  refuse(await queue.cancel(id), 'This work has ended already.');
}

/** @throws NotFound, Refusal 409 for a job that need not be done again */
export async function retryJob(queue: JobQueue, id: string): Promise<void> {
  refuse(await queue.retry(id), 'This work need not be done again.');
}

function refuse(answer: JobAnswer, tooLate: string): void {
  if (answer === 'unknown') throw new NotFound('job');
  if (answer === 'ended') throw new Refusal('conflict', { message: tooLate });
}
