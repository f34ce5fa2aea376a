import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { eulaAcceptanceSchema } from '#contract/entities/account.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import type { Profile } from '#contract/entities/user.ts';
import { blocklistUpdateSchema } from '#contract/entities/user.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { isNamed } from '../../http/pipeline/representation.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import { toUserReply } from './account.ts';
import type { UserDeps } from './profile.ts';
import { acceptEula, blockTags, readAccount } from './profile.ts';
import { userChangeRepository } from './user-change-repository.ts';
import { userRepository } from './user-repository.ts';

const nobody: Profile = { authenticated: false, user: null, features: featuresByTier.basic };

/** The routes for a user's own profile. */
export function userRoutes(app: FastifyInstance, deps: UserDeps): void {
  const { reader } = deps.database;

  route(app, endpoints.readProfile, {}, async ({ caller }): Promise<Profile> => {
    const account = caller.user === null ? null : await userRepository.find(reader, caller.user.userId);
    if (account === null) return nobody;
    const reply = { authenticated: true as const, ...(await toUserReply(account, deps)) };
    const isFirstRun = reply.user.effective_tier === 'admin' && (await deps.settings.isFirstRunOf(account.id));
    return isFirstRun ? { ...reply, first_run: true as const } : reply;
  });

  route(app, endpoints.readMe, {}, async ({ caller }) =>
    toUserReply(await readAccount(reader, signedIn(caller).userId), deps),
  );

  route(app, endpoints.readUploaderProfile, {}, async ({ caller }) => {
    const reply = await toUserReply(await readAccount(reader, signedIn(caller).userId), deps);
    return { authenticated: true as const, ...reply, eula_accepted: reply.user.eula_accepted };
  });

  route(app, endpoints.acceptEula, { body: eulaAcceptanceSchema }, async ({ caller, body }) => {
    const version = await acceptEula(deps, signedIn(caller).userId, body.version);
    return { success: true as const, eula_accepted: true as const, version };
  });

  route(app, endpoints.readBlocklist, {}, async ({ caller }) => {
    const { user } = await toUserReply(await readAccount(reader, signedIn(caller).userId), deps);
    return { blocked_tag_ids: user.settings.blocked_tag_ids };
  });

  route(app, endpoints.updateBlocklist, { body: blocklistUpdateSchema }, async ({ caller, body }) => {
    const { user } = await toUserReply(await blockTags(deps, signedIn(caller).userId, body), deps);
    return { blocked_tag_ids: user.settings.blocked_tag_ids };
  });

  route(app, endpoints.readAvatar, { params: idParamsSchema }, async ({ params, request, reply }) => {
    const avatar = await userChangeRepository.findAvatar(reader, params.id);
    if (avatar === null) throw new NotFound('picture');
    const etag = `"${avatar.content}"`;
    reply.headers({ etag, 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' });
    if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
    else reply.type('image/webp').send(avatar.webp);
    return answered;
  });
}
