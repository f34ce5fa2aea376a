import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { jobKindQuestionSchema, jobListQuerySchema } from '#contract/entities/library.ts';
import type { Done } from '#contract/entities/site.ts';
import { activityListQuerySchema } from '#contract/entities/site.ts';
import { subscriptionUpdateSchema, userListQuerySchema, userUpdateSchema } from '#contract/entities/user.ts';
import type { Database } from '../../database/connection.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { readActivityPage } from '../activity/activity-log.ts';
import { toUser } from '../users/account.ts';
import { readAccount } from '../users/profile.ts';
import { cancelJob, readJobKinds, readJobPage, retryJob } from './jobs.ts';
import type { UserAdminDeps } from './users.ts';
import { changeSubscription, changeUser, deleteUser, endUserSessions, readUserPage } from './users.ts';

interface AdminServices {
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

export function userAdminRoutes(app: FastifyInstance, deps: UserAdminDeps): void {
  const { clock, database } = deps;

  route(app, endpoints.listUsers, { query: userListQuerySchema }, async ({ query }) => readUserPage(deps, query));

  route(app, endpoints.readUser, { params: idParamsSchema }, async ({ params }) => ({
    user: toUser(await readAccount(database.reader, params.id), clock.now()),
  }));

  route(
    app,
    endpoints.updateUser,
    { params: idParamsSchema, body: userUpdateSchema },
    async ({ caller, params, body }) => {
      const change = { displayName: body.display_name, email: body.email, newPassword: body.new_password };
      return { user: toUser(await changeUser(deps, signedIn(caller).userId, params.id, change), clock.now()) };
    },
  );

  route(app, endpoints.deleteUser, { params: idParamsSchema }, async ({ caller, params }) => {
    await deleteUser(deps, signedIn(caller).userId, params.id);
    return null;
  });

  route(app, endpoints.endUserSessions, { params: idParamsSchema }, async ({ caller, params }) => {
    await endUserSessions(deps, signedIn(caller).userId, params.id);
    return null;
  });

  route(
    app,
    endpoints.updateSubscription,
    { params: idParamsSchema, body: subscriptionUpdateSchema },
    async ({ caller, params, body }) => {
      const subscription = {
        tier: body.tier,
        expiresAt: body.expires_at === null ? null : Date.parse(body.expires_at),
      };
      const account = await changeSubscription(deps, signedIn(caller).userId, params.id, subscription);
      return { user: toUser(account, clock.now()) };
    },
  );
}

export function activityRoutes(app: FastifyInstance, { database }: { database: Database }): void {
  route(app, endpoints.listActivities, { query: activityListQuerySchema }, async ({ query }) =>
    readActivityPage(database, query),
  );
}
