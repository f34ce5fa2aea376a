import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import {
  accountDeletionSchema,
  deviceApprovalSchema,
  devicePollSchema,
  invitationCreationSchema,
  invitationQuestionSchema,
  passwordChangeSchema,
  refreshSchema,
  registrationSchema,
  signInSchema,
  signOutSchema,
} from '#contract/entities/account.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { profileUpdateSchema } from '#contract/entities/user.ts';
import { ensureViewer } from '../../http/pipeline/cookies.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import type { ClaimKey } from '../../http/pipeline/repeat-answers.ts';
import { claimAfterLimits } from '../../http/pipeline/repeat-answers.ts';
import { route } from '../../http/pipeline/route.ts';
import { toUserReply } from '../users/account.ts';
import type { AuthDeps } from './auth-deps.ts';
import { deviceSignIn } from './device-sign-in.ts';
import { invitations } from './invitations.ts';
import { changeOwnPassword, changeOwnProfile, deleteOwnAccount } from './own-account.ts';
import { registerAccount } from './registration.ts';
import { answerSignedIn, sessionCookie } from './sessions/session-credentials.ts';
import { authSessions } from './sessions/sessions.ts';
import { signInByPassword } from './sign-in.ts';
import { invitationCookie, visitorOf } from './visitor.ts';

/** Registration, sign-in, sessions, one's own account, and invitations. */
export function authRoutes(app: FastifyInstance, deps: AuthDeps): void {
  signInRoutes(app, deps);
  sessionRoutes(app, deps);
  ownAccountRoutes(app, deps);
  invitationRoutes(app, deps);
  deviceRoutes(app, deps);
}

/** Claims the idempotency key once the rate limits have let the call pass. */
function claiming(deps: AuthDeps, claimKey: ClaimKey): AuthDeps {
  return { ...deps, rateLimits: claimAfterLimits(deps.rateLimits, claimKey) };
}

function signInRoutes(app: FastifyInstance, deps: AuthDeps): void {
  const visitor = (request: FastifyRequest, reply: FastifyReply) =>
    visitorOf(request, ensureViewer(request, reply, deps.ids));

  route(
    app,
    endpoints.register,
    { body: registrationSchema },
    async ({ body, request, reply, claimKey }) => {
      const { username, email, password, setup_code: setupCode, invitation } = body;
      const input = { username, email, password, displayName: body.display_name || null, setupCode, invitation };
      const answer = await answerSignedIn(
        deps,
        request,
        reply,
        await registerAccount(claiming(deps, claimKey), visitor(request, reply), input),
      );
      if (invitation !== undefined) invitationCookie.clear(request, reply);
      reply.code(201);
      return answer;
    },
    { claimsKey: 'itself' },
  );

  route(
    app,
    endpoints.signIn,
    { body: signInSchema },
    async ({ body, request, reply, claimKey }) => {
      const { identifier, password, rememberMe: isRemembered } = body;
      return answerSignedIn(
        deps,
        request,
        reply,
        await signInByPassword(claiming(deps, claimKey), visitor(request, reply), {
          identifier,
          password,
          isRemembered,
        }),
      );
    },
    { claimsKey: 'itself' },
  );
}

function sessionRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(app, endpoints.refreshSession, { body: refreshSchema }, async ({ body, request, reply }) =>
    answerSignedIn(deps, request, reply, await authSessions.refresh(deps, body.refresh_token)),
  );

  route(app, endpoints.signOut, { body: signOutSchema }, async ({ caller, request, reply }) => {
    const own = signedIn(caller);
    await authSessions.end(deps, own, own.sessionId);
    sessionCookie.clear(request, reply);
    return null;
  });

  route(app, endpoints.signOutEverywhere, {}, async ({ caller, request, reply }) => {
    await authSessions.endAll(deps, signedIn(caller).userId);
    sessionCookie.clear(request, reply);
    return null;
  });

  route(app, endpoints.listSessions, {}, async ({ caller }) => ({
    sessions: await authSessions.list(deps, signedIn(caller)),
  }));

  route(app, endpoints.endSession, { params: idParamsSchema }, async ({ caller, params }) => {
    await authSessions.end(deps, signedIn(caller), params.id);
    return null;
  });
}

function ownAccountRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(
    app,
    endpoints.changePassword,
    { body: passwordChangeSchema },
    async ({ caller, body, request, claimKey }) => {
      await changeOwnPassword(
        claiming(deps, claimKey),
        visitorOf(request),
        signedIn(caller),
        body.current_password,
        body.new_password,
      );
      return null;
    },
    { claimsKey: 'itself' },
  );

  route(
    app,
    endpoints.updateProfile,
    { body: profileUpdateSchema },
    async ({ caller, body, request, claimKey }) => {
      const change = {
        displayName: body.display_name,
        email: body.email,
        removesAvatar: body.avatar_url === null,
        settings: body.settings,
      };
      const proof = { password: body.current_password, onGiven: claimKey };
      return toUserReply(await changeOwnProfile(deps, visitorOf(request), signedIn(caller), change, proof), deps);
    },
    { claimsKey: 'itself' },
  );

  route(
    app,
    endpoints.deleteAccount,
    { body: accountDeletionSchema },
    async ({ caller, body, request, reply, claimKey }) => {
      await deleteOwnAccount(claiming(deps, claimKey), visitorOf(request), signedIn(caller), body.password);
      sessionCookie.clear(request, reply);
      return null;
    },
    { claimsKey: 'itself' },
  );
}

function invitationRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(app, endpoints.openInvitation, { body: invitationQuestionSchema }, async ({ body, request, reply }) => {
    const offer = await invitations.readOffer(deps, visitorOf(request), body.invitation);
    invitationCookie.set(request, reply, body.invitation);
    return offer;
  });

  route(app, endpoints.listInvitations, {}, async () => ({
    invitations: await invitations.list(deps),
    usual_tier: deps.settings.env.invitationPlan,
  }));

  route(
    app,
    endpoints.createInvitation,
    { body: invitationCreationSchema },
    async ({ caller, body, request, reply }) => {
      const link = await invitations.create(
        deps,
        signedIn(caller).userId,
        body.tier ?? deps.settings.env.invitationPlan,
        siteOriginFor(deps, request),
      );
      reply.code(201);
      return link;
    },
  );

  route(app, endpoints.revokeInvitation, { params: idParamsSchema }, async ({ caller, params }) => {
    await invitations.revoke(deps, signedIn(caller).userId, params.id);
    return null;
  });
}

/** Sign-in on a TV by a code. */
function deviceRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(app, endpoints.startDeviceSignIn, {}, async ({ request }) =>
    deviceSignIn.start(deps, visitorOf(request), siteOriginFor(deps, request)),
  );

  route(app, endpoints.pollDeviceSignIn, { body: devicePollSchema }, async ({ body, request, reply }) => {
    const visitor = visitorOf(request, ensureViewer(request, reply, deps.ids));
    return answerSignedIn(deps, request, reply, await deviceSignIn.answerPoll(deps, visitor, body.device_code));
  });

  route(app, endpoints.findWaitingDevice, { body: deviceApprovalSchema }, async ({ caller, body, request }) =>
    deviceSignIn.readWaiting(deps, visitorOf(request), signedIn(caller).userId, body.user_code),
  );

  route(
    app,
    endpoints.approveDevice,
    { body: deviceApprovalSchema },
    async ({ caller, body, request, claimKey }) => {
      const rateLimits = claimAfterLimits(deps.rateLimits, claimKey);
      await deviceSignIn.approve({ ...deps, rateLimits }, visitorOf(request), signedIn(caller), body.user_code);
      return null;
    },
    { claimsKey: 'itself' },
  );
}

/**
 * The origin at which other devices reach the site: the configured one, else that of this request.
 */
function siteOriginFor(
  { publicOrigin, originForOthers }: Pick<AuthDeps, 'publicOrigin' | 'originForOthers'>,
  request: FastifyRequest,
): string {
  // A trusted proxy may pass on a scheme that the client has set.
  const scheme = request.protocol === 'https' ? 'https' : 'http';
  return originForOthers(publicOrigin ?? `${scheme}://${request.host}`);
}
