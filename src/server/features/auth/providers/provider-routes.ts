import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import { providerParamsSchema } from '#contract/entities/params.ts';
import type { ProviderMessage } from '#contract/entities/people/identity.ts';
import { providerSignInQuerySchema } from '#contract/entities/people/identity.ts';
import { messageOf } from '#contract/failures.ts';
import { clearOwnCookie, readOwnCookie, setOwnCookie } from '../../../http/pipeline/cookies.ts';
import { Refusal } from '../../../http/pipeline/errors.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { answered, route } from '../../../http/pipeline/route.ts';
import { ensureViewer } from '../../../http/pipeline/viewer-cookie.ts';
import { isCrossSite } from '../../../http/protection/cross-site.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { clearInvitationCookie, readInvitationCookie } from '../invitations/invitation-cookie.ts';
import { hashInvitation } from '../invitations/invitation-repository.ts';
import { answerSignedIn } from '../sessions/answer-signed-in.ts';
import { readSessionCookie, setSessionCookie } from '../sessions/session-cookie.ts';
import { visitorOf } from '../visitor.ts';
import { listIdentities, unlink } from './identities.ts';
import type { Provider } from './provider.ts';
import { ProviderFailed } from './provider.ts';
import { sendProviderPage } from './provider-page.ts';
import type { VisitEnd } from './provider-visit.ts';
import { claimLinkingSession, createTicket, endVisit, findProvider, startVisit } from './provider-visit.ts';

/** Whatever a provider sends along; it is read as it came. */
const anyQuery = z.looseObject({});

const cookie = 'visit';
const cookieSeconds = 600;

/** Sign-in with others. */
export function providerRoutes(app: FastifyInstance, deps: AuthDeps): void {
  visitRoutes(app, deps);
  route(app, endpoints.listProviders, {}, async () => ({
    providers: deps.providers.map(({ name, displayName }) => ({
      name,
      display_name: displayName,
      login_url: endpoints.startProviderSignIn.path.replace('{provider}', name),
    })),
  }));

  route(
    app,
    endpoints.createLinkTicket,
    { params: providerParamsSchema },
    async ({ params, caller, request, reply }) => {
      const { ticket, session } = await createTicket(
        deps,
        visitorOf(request),
        findProvider(deps, params.provider),
        signedIn(caller),
      );
      // What the ticket is compared with: this browser, whatever it was signed in as before.
      await setSessionCookie(deps.keys, request, reply, session);
      return { ticket };
    },
  );

  route(app, endpoints.listIdentities, {}, async ({ caller }) => ({
    identities: await listIdentities(deps, signedIn(caller).userId),
  }));

  route(app, endpoints.unlinkIdentity, { params: providerParamsSchema }, async ({ caller, params, request }) => {
    await unlink(deps, visitorOf(request), signedIn(caller).userId, params.provider);
    return null;
  });
}

/** To the provider and back. */
function visitRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(
    app,
    endpoints.startProviderSignIn,
    { params: providerParamsSchema, query: providerSignInQuerySchema },
    async ({ params, query, request, reply }) => {
      const provider = findProvider(deps, params.provider);
      const browser = readOwnCookie(request, cookie) ?? deps.ids.secret();
      try {
        const sessionId = query.link ? await linkingSession(deps, provider, request, query.ticket) : null;
        const address = await startVisit(deps, visitorOf(request), provider, {
          browser,
          sessionId,
          invitationHash: sessionId === null ? invitationHashOf(request) : null,
          display: query.display,
        });
        setOwnCookie(request, reply, cookie, browser, cookieSeconds);
        reply.redirect(address.href, 302);
      } catch (error) {
        if (!(error instanceof ProviderFailed)) throw error;
        const cause = messageOf(error.cause);
        if (error.code !== 'oauth_state')
          deps.log.warn(
            { event: 'provider_unavailable', provider: provider.name, cause },
            'a provider cannot be reached',
          );
        await sendEnd(deps, request, reply, { kind: 'failed', failure: error.code, display: query.display });
      }
      return answered;
    },
  );

  route(
    app,
    endpoints.finishProviderSignIn,
    { params: providerParamsSchema, query: anyQuery },
    async ({ params, request, reply }) => {
      const provider = findProvider(deps, params.provider);
      const visitor = visitorOf(request, ensureViewer(request, reply, deps.ids));
      const end = await endVisit(deps, visitor, provider, queryOf(request), readOwnCookie(request, cookie));
      if (end.kind === 'signed-in') clearOwnCookie(request, reply, cookie);
      // One that is not good any more must not stand in the way of the next visit.
      if (end.kind === 'signed-in' || end.failure === 'invitation_invalid') clearInvitationCookie(request, reply);
      await sendEnd(deps, request, reply, end);
      return answered;
    },
  );
}

/**
 * The ticket says who links. It is good in the browser that fetched it alone: otherwise somebody could have others open
 * an address that links their provider to a stranger's account.
 * @throws Refusal 401 without a ticket, 403 for a page of another site, ProviderFailed for a ticket that is not good
 * any more
 */
async function linkingSession(
  deps: AuthDeps,
  provider: Provider,
  request: FastifyRequest,
  ticket: string | undefined,
): Promise<string> {
  if (isCrossSite(request, deps.publicOrigin))
    throw new Refusal('forbidden', { message: 'This was sent by another site.' });
  if (ticket === undefined) throw new Refusal('unauthorized');
  const sessionId = await claimLinkingSession(deps, provider, ticket, await readSessionCookie(deps.keys, request));
  if (sessionId === null) throw new ProviderFailed('oauth_state');
  return sessionId;
}

function invitationHashOf(request: FastifyRequest): string | null {
  const token = readInvitationCookie(request);
  return token === undefined ? null : hashInvitation(token);
}

async function sendEnd(deps: AuthDeps, request: FastifyRequest, reply: FastifyReply, end: VisitEnd): Promise<void> {
  const nonce = deps.ids.secret();
  if (end.kind === 'failed') {
    reply.code(end.failure === 'provider_unavailable' ? 502 : 400);
    return sendProviderPage(reply, { type: 'OAUTH_ERROR', error: end.failure }, { display: end.display, nonce });
  }
  const { access_token, refresh_token, user } = await answerSignedIn(deps, request, reply, end.signedIn);
  const message: ProviderMessage = { type: 'OAUTH_SUCCESS', user, tokens: { access_token, refresh_token } };
  sendProviderPage(reply, message, { display: end.display, nonce });
}

function queryOf(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start === -1 ? '' : request.url.slice(start);
}
