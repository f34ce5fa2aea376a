import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import {
  subscriptionUpdateSchema,
  userListQuerySchema,
  userUpdateSchema,
} from '#contract/entities/people/administration.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import { readAccount } from '../users/profile.ts';
import { toUser } from '../users/user-reply.ts';
import type { UserAdminDeps } from './users.ts';
import { changeSubscription, changeUser, deleteUser, endUserSessions, readUserPage } from './users.ts';

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
