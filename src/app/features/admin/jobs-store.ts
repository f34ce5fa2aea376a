import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { readRefusal } from '#app/ui/form/form.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Resource } from '#app/ui/resource.ts';
import { countText } from '#app/ui/texts.ts';
import {
  cancelJob,
  cancelWaitingJobs,
  listJobKinds,
  listJobs,
  retryFailedJobs,
  retryJob,
} from '#contract/endpoints.ts';
import type { Job, JobKindCounts } from '#contract/entities/library.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';

interface Jobs {
  kinds: JobKindCounts[];
  /** The first page of running jobs, which is larger than the number that can run at once. */
  running: Job[];
}

interface JobActions {
  isBusy: boolean;
  /** The outcome of the last action. */
  notice: { kind: 'ok' | 'danger'; sentence: string } | null;
}

const refreshMs = 5_000;

/** Background jobs, by kind. */
export const jobs = new Resource<Jobs>({
  load: readJobs,
  toSentence: failures.loadJobs,
  refreshMs: () => refreshMs,
});

export const jobActions = proxy<JobActions>({ isBusy: false, notice: null });

export function retryAllFailed(kind: string): Promise<void> {
  return act(async () => retriedText((await call(retryFailedJobs, { body: { kind } })).jobs));
}

export function cancelWaiting(kind: string): Promise<void> {
  return act(async () => cancelledText((await call(cancelWaitingJobs, { body: { kind } })).jobs));
}

export function cancelRunning(id: string): Promise<void> {
  return act(async () => {
    await call(cancelJob, { params: { id } });
    return cancelledText(1);
  });
}

/** The failed jobs of one kind, in pages. */
export function createFailedJobs(kind: string) {
  const limit = limits.jobsPerPage;
  return createPagedList<Job, object>({
    limit,
    filters: {},
    load: async ({ page }, signal) => {
      const reply = await call(listJobs, { query: { kind, state: 'failed', page, limit }, signal });
      return { items: reply.jobs, total: reply.total };
    },
    idOf: ({ id }) => id,
    toSentence: failures.loadJobs,
  });
}

export type FailedJobs = ReturnType<typeof createFailedJobs>;

/** Puts one failed job back into the queue. */
export function retryOne(list: FailedJobs, id: string): Promise<void> {
  return act(async () => {
    await list.change(
      (items) => items.filter((item) => item.id !== id),
      () => call(retryJob, { params: { id } }),
    );
    return retriedText(1);
  });
}

export function resetJobActions(): void {
  Object.assign(jobActions, { isBusy: false, notice: null });
}

async function readJobs(signal: AbortSignal): Promise<Jobs> {
  const { kinds } = await call(listJobKinds, { signal });
  if (kinds.every(({ running }) => running === 0)) return { kinds, running: [] };
  return { kinds, running: (await call(listJobs, { query: { state: 'running' }, signal })).jobs };
}

/** Runs one action at a time, then reloads the counts. */
async function act(send: () => Promise<string>): Promise<void> {
  if (jobActions.isBusy) return;
  Object.assign(jobActions, { isBusy: true, notice: null });
  try {
    jobActions.notice = { kind: 'ok', sentence: await send() };
  } catch (error) {
    jobActions.notice = { kind: 'danger', sentence: readRefusal(error) };
  } finally {
    jobActions.isBusy = false;
    void jobs.reload();
  }
}

/** The notice after all failed, or all waiting, jobs of a kind were retried or cancelled. */
const retriedText = (jobs: number) => `${countText(jobs, 'job')} will be tried again.`;

const cancelledText = (jobs: number) => `${countText(jobs, 'job')} cancelled.`;
