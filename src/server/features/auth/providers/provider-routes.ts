import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import * as endpoints from '#contract/endpoints.ts';
import type { ProviderMessage } from '#contract/entities/account.ts';
import { providerSignInQuerySchema } from '#contract/entities/account.ts';
import { providerParamsSchema } from '#contract/entities/fields.ts';
import { messageOf } from '#contract/failures.ts';
import { ensureViewer, ownCookie } from '../../../http/pipeline/cookies.ts';
import { answerError, Refusal } from '../../../http/pipeline/errors.ts';
import { signedIn } from '../../../http/pipeline/guards.ts';
import { answered, route } from '../../../http/pipeline/route.ts';
import { isCrossSite } from '../../../http/protection/allowed-hosts.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { hashInvitation } from '../invitation-repository.ts';
import { answerSignedIn, sessionCookie } from '../sessions/session-credentials.ts';
import { invitationCookie, visitorOf } from '../visitor.ts';
import type { Provider } from './provider.ts';
import { ProviderFailed } from './provider.ts';
import { listLinkedIdentities, unlinkProvider } from './provider-account.ts';
import type { VisitEnd } from './provider-visit.ts';
import { findProvider, providerVisits } from './provider-visit.ts';

/** Accepts any query: the callback URL is passed on unparsed. */
const anyQuery = z.looseObject({});

const visitCookie = 'visit';
const visitCookieSeconds = 600;

/** Sign-in with providers. */
export async function providerRoutes(app: FastifyInstance, deps: AuthDeps): Promise<void> {
  await app.register(async (pages) => {
    pages.setErrorHandler((error, request, reply) => {
      if (!request.headers.accept?.includes('text/html')) return answerError(error, request, reply);
      const display = /[?&]display=page(?:&|$)/.test(request.url) ? 'page' : 'popup';
      return answerError(error, request, reply, ({ code }) =>
        providerPage(reply, { type: 'OAUTH_ERROR', error: code }, { display, nonce: deps.ids.secret() }),
      );
    });
    visitRoutes(pages, deps);
  });
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
      const { ticket, session } = await providerVisits.createTicket(
        deps,
        visitorOf(request),
        findProvider(deps, params.provider),
        signedIn(caller),
      );
      // The ticket is checked against this cookie, so it is set even if the browser had another
      // session.
      await sessionCookie.set(deps.keys, request, reply, session);
      return { ticket };
    },
  );

  route(app, endpoints.listIdentities, {}, async ({ caller }) => ({
    identities: await listLinkedIdentities(deps, signedIn(caller).userId),
  }));

  route(app, endpoints.unlinkIdentity, { params: providerParamsSchema }, async ({ caller, params, request }) => {
    await unlinkProvider(deps, visitorOf(request), signedIn(caller).userId, params.provider);
    return null;
  });
}

/** The redirect to the provider, and its callback. */
function visitRoutes(app: FastifyInstance, deps: AuthDeps): void {
  route(
    app,
    endpoints.startProviderSignIn,
    { params: providerParamsSchema, query: providerSignInQuerySchema },
    async ({ params, query, request, reply }) => {
      const provider = findProvider(deps, params.provider);
      const browser = ownCookie.read(request, visitCookie) ?? deps.ids.secret();
      try {
        const sessionId = query.link ? await linkingSession(deps, provider, request, query.ticket) : null;
        const address = await providerVisits.start(deps, visitorOf(request), provider, {
          browser,
          sessionId,
          invitationHash: sessionId === null ? invitationHashOf(request) : null,
          display: query.display,
        });
        ownCookie.set(request, reply, visitCookie, browser, visitCookieSeconds);
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
      const end = await providerVisits.end(
        deps,
        visitor,
        provider,
        queryOf(request),
        ownCookie.read(request, visitCookie),
      );
      if (end.kind === 'signed-in') ownCookie.clear(request, reply, visitCookie);
      // An invalid invitation is cleared, or it would fail the next visit as well.
      if (end.kind === 'signed-in' || end.failure === 'invitation_invalid') invitationCookie.clear(request, reply);
      await sendEnd(deps, request, reply, end);
      return answered;
    },
  );
}

/**
 * The session that links, named by the ticket. The ticket is valid only in the browser that fetched
 * it: otherwise somebody could make others open a URL that links their provider to a stranger's
 * account.
 * @throws Refusal 401 without a ticket, 403 for a page of another site, ProviderFailed for a ticket
 * that is no longer valid
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
  const sessionId = await providerVisits.claimLinkingSession(
    deps,
    provider,
    ticket,
    await sessionCookie.read(deps.keys, request),
  );
  if (sessionId === null) throw new ProviderFailed('oauth_state');
  return sessionId;
}

function invitationHashOf(request: FastifyRequest): string | null {
  const token = invitationCookie.read(request);
  return token === undefined ? null : hashInvitation(token);
}

async function sendEnd(deps: AuthDeps, request: FastifyRequest, reply: FastifyReply, end: VisitEnd): Promise<void> {
  const nonce = deps.ids.secret();
  if (end.kind === 'failed') {
    reply.code(end.failure === 'provider_unavailable' ? 502 : 400);
    reply.send(providerPage(reply, { type: 'OAUTH_ERROR', error: end.failure }, { display: end.display, nonce }));
    return;
  }
  const { access_token, refresh_token, user } = await answerSignedIn(deps, request, reply, end.signedIn);
  const message: ProviderMessage = { type: 'OAUTH_SUCCESS', user, tokens: { access_token, refresh_token } };
  reply.send(providerPage(reply, message, { display: end.display, nonce }));
}

function queryOf(request: FastifyRequest): string {
  const start = request.url.indexOf('?');
  return start === -1 ? '' : request.url.slice(start);
}

/**
 * Channel on which the app listens when the provider's opener policy has cut the window off from
 * its opener.
 */
const messageChannel = 'fourfold.sign-in';
/** Storage key that the app reads once at its start, after a sign-in without a popup. */
const messageKey = 'fourfold.sign-in';

/** Written in syntax that browsers of 2019 support. */
const pageScript = `
var message = JSON.parse(document.getElementById('message').textContent);
if (document.body.dataset.display === 'page') {
  try { sessionStorage.setItem('${messageKey}', JSON.stringify(message)); } catch (error) {}
  location.replace('/');
} else {
  if (window.opener) window.opener.postMessage(message, location.origin);
  else if (window.BroadcastChannel) new BroadcastChannel('${messageChannel}').postMessage(message);
  window.close();
}
`;

/**
 * The page that ends a visit. It passes the message to its opener, only at the site's own origin,
 * and closes. Its link is the way back from a visit whose start is not known any more: that may have
 * replaced the app's page, on a TV or in an installed app without an address bar.
 */
function providerPage(
  reply: FastifyReply,
  message: ProviderMessage,
  { display, nonce }: { display: 'popup' | 'page'; nonce: string },
): string {
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    // The URL of this page contains the provider's code.
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  return pageHtml(message, display, nonce);
}

function pageHtml(message: ProviderMessage, display: 'popup' | 'page', nonce: string): string {
  const json = JSON.stringify(message)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
  const text =
    message.type === 'OAUTH_SUCCESS'
      ? 'You are signed in. You can close this window.'
      : 'The sign-in did not work. You can close this window.';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Fourfold</title></head>
<body data-display="${display}"><p>${text}</p>
<p><a href="/">Back to Fourfold</a></p>
<script type="application/json" id="message">${json}</script>
<script nonce="${nonce}">${pageScript}</script>
</body>
</html>
`;
}
