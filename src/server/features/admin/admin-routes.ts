import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { duplicateListQuerySchema } from '#contract/entities/duplicate.ts';
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
import type { PathResolver } from '../videos/video.ts';
import { keepDuplicates, readDuplicates } from './duplicate-list.ts';
import type { Duplicates } from './duplicates.ts';
import { JobCounts, jobAdmin } from './jobs.ts';
import type { UserAdminDeps } from './users.ts';
import { userAdmin } from './users.ts';

interface AdminServices {
  database: Database;
  jobs: JobQueue;
  accounts: UserAdminDeps;
  places: PathResolver;
  duplicates: Duplicates;
}

const done: Done = { success: true };

/** The endpoints for jobs, people, duplicates and the log of activities. */
export function adminRoutes(app: FastifyInstance, services: AdminServices): void {
  jobRoutes(app, services);
  personRoutes(app, services.accounts);
  route(app, endpoints.listActivities, { query: activityListQuerySchema }, async ({ query }) =>
    readActivityPage(services.database, query),
  );
  route(app, endpoints.listDuplicates, { query: duplicateListQuerySchema }, async ({ query, caller }) =>
    readDuplicates(services, query, signedIn(caller).userId),
  );
  route(app, endpoints.keepDuplicates, { params: idParamsSchema }, async ({ params }) => {
    await keepDuplicates(services.database, params.id, true);
    return null;
  });
  route(app, endpoints.relistDuplicates, { params: idParamsSchema }, async ({ params }) => {
    await keepDuplicates(services.database, params.id, false);
    return null;
  });
  route(app, endpoints.searchDuplicates, {}, async ({ reply }) => {
    await services.duplicates.search();
    reply.code(202);
    return done;
  });
}

function jobRoutes(app: FastifyInstance, { database, jobs, accounts: { clock } }: AdminServices): void {
  const counts = new JobCounts(database, clock);

  route(app, endpoints.listJobs, { query: jobListQuerySchema }, async ({ query }) =>
    jobAdmin.readPage(database, counts, query),
  );

  route(app, endpoints.listJobKinds, {}, async () => jobAdmin.readKinds(counts));

  route(app, endpoints.retryFailedJobs, { body: jobKindQuestionSchema }, async ({ body }) => ({
    ...done,
    jobs: await jobs.retryFailed(body.kind),
  }));

  route(app, endpoints.cancelWaitingJobs, { body: jobKindQuestionSchema }, async ({ body }) => ({
    ...done,
    jobs: await jobs.cancelWaiting(body.kind),
  }));

  route(app, endpoints.cancelJob, { params: idParamsSchema }, async ({ params }) => {
    await jobAdmin.cancel(jobs, params.id);
    return null;
  });

  route(app, endpoints.retryJob, { params: idParamsSchema }, async ({ params, reply }) => {
    await jobAdmin.retry(jobs, params.id);
    reply.code(202);
    return done;
  });
}

function personRoutes(app: FastifyInstance, deps: UserAdminDeps): void {
  route(app, endpoints.listUsers, { query: userListQuerySchema }, async ({ query }) => userAdmin.readPage(deps, query));

  route(app, endpoints.readUser, { params: idParamsSchema }, async ({ params }) => ({
    user: toUser(await readAccount(deps.database.reader, params.id), deps),
  }));

  route(
    app,
    endpoints.updateUser,
    { params: idParamsSchema, body: userUpdateSchema },
    async ({ caller, params, body }) => {
      const change = { displayName: body.display_name, email: body.email, newPassword: body.new_password };
      return { user: toUser(await userAdmin.change(deps, signedIn(caller).userId, params.id, change), deps) };
    },
  );

  route(app, endpoints.deleteUser, { params: idParamsSchema }, async ({ caller, params }) => {
    await userAdmin.delete(deps, signedIn(caller).userId, params.id);
    return null;
  });

  route(app, endpoints.endUserSessions, { params: idParamsSchema }, async ({ caller, params }) => {
    await userAdmin.endSessions(deps, signedIn(caller).userId, params.id);
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
      const account = await userAdmin.changeSubscription(deps, signedIn(caller).userId, params.id, subscription);
      return { user: toUser(account, deps) };
    },
  );
}
