import type { FastifyInstance } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema } from '#contract/entities/params.ts';
import { invitationCreationSchema, invitationQuestionSchema } from '#contract/entities/people/invitation.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { route } from '../../../http/pipeline/route.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { siteOriginFor } from '../site-origin.ts';
import { visitorOf } from '../visitor.ts';
import { setInvitationCookie } from './invitation-cookie.ts';
import { createInvitation, listInvitations, revokeInvitation } from './invitations.ts';
import { openInvitation } from './use-invitation.ts';

export function invitationRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(app, endpoints.openInvitation, { body: invitationQuestionSchema }, async ({ body, request, reply }) => {
    const offer = await openInvitation(deps, visitorOf(request), body.invitation);
    setInvitationCookie(request, reply, body.invitation);
    return offer;
  });

  route(app, endpoints.listInvitations, {}, async () => ({ invitations: await listInvitations(deps) }));

  route(
    app,
    endpoints.createInvitation,
    { body: invitationCreationSchema },
    async ({ caller, body, request, reply }) => {
      const link = await createInvitation(deps, signedIn(caller).userId, body.tier, siteOriginFor(deps, request));
      reply.code(201);
      return link;
    },
  );

  route(app, endpoints.revokeInvitation, { params: idParamsSchema }, async ({ caller, params }) => {
    await revokeInvitation(deps, signedIn(caller).userId, params.id);
    return null;
  });
}
