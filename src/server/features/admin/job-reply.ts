import type { Job } from '#contract/entities/site/job.ts';
import type { ListedJob } from '../../jobs/job-repository.ts';

export function toJob(job: ListedJob): Job {
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
