import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { jobKindQuestionSchema, jobListQuerySchema } from '#contract/entities/site/job.ts';
import type { Done } from '#contract/entities/site/site.ts';
import type { Database } from '../../database/connection.ts';
import { route } from '../../http/pipeline/route.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { cancelJob, readJobKinds, readJobPage, retryJob } from './jobs.ts';

export interface AdminServices {
  database: Database;
  jobs: JobQueue;
}

const done: Done = { success: true };

export function adminRoutes(app: FastifyInstance, { database, jobs }: AdminServices): void {
  route(app, endpoints.listJobs, { query: jobListQuerySchema }, async ({ query }) => readJobPage(database, query));

  route(app, endpoints.listJobKinds, {}, async () => readJobKinds(database));

  route(app, endpoints.retryFailedJobs, { body: jobKindQuestionSchema }, async ({ body }) => ({
    ...done,
    jobs: await jobs.retryFailed(body.kind),
  }));

  route(app, endpoints.cancelWaitingJobs, { body: jobKindQuestionSchema }, async ({ body }) => ({
    ...done,
    jobs: await jobs.cancelWaiting(body.kind),
  }));

  route(app, endpoints.cancelJob, { params: idParamsSchema }, async ({ params }) => {
    await cancelJob(jobs, params.id);
    return null;
  });

  route(app, endpoints.retryJob, { params: idParamsSchema }, async ({ params, reply }) => {
    await retryJob(jobs, params.id);
    reply.code(202);
    return done;
  });
}
