import type { RequestListener, Server } from 'node:http';
import { createServer } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { hostname } from 'node:os';
import { join } from 'node:path';
import cookie from '@fastify/cookie';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify, LogController } from 'fastify';
import { usualFacts } from '#contract/endpoint.ts';
import { readHealth, readMetrics, readReadiness } from '#contract/endpoints.ts';
import type { CallWrites } from './database/replica.ts';
import { callWrites, ownWritesSeconds } from './database/replica.ts';
import { adminRoutes } from './features/admin/admin-routes.ts';
import { authRoutes } from './features/auth/auth-routes.ts';
import { providerRoutes } from './features/auth/providers/provider-routes.ts';
import { sessionCookie } from './features/auth/sessions/session-credentials.ts';
import { browseRoutes } from './features/browse/browse-routes.ts';
import { feedRoutes } from './features/feed/feed-routes.ts';
import type { PageVisitor } from './features/feed/page-route.ts';
import { pageRoute } from './features/feed/page-route.ts';
import { gateRoutes } from './features/gate/gate-routes.ts';
import { closeGate, isAdmitted } from './features/gate/site-gate.ts';
import { libraryRoutes } from './features/library/library-routes.ts';
import { performanceRoutes } from './features/performance/performance-routes.ts';
import { planRoutes } from './features/plans/plans.ts';
import { reportRoutes } from './features/reports/report-routes.ts';
import { metricsRoute } from './features/site/metrics-route.ts';
import { settingRoutes } from './features/site/settings-routes.ts';
import { siteRoutes } from './features/site/site-routes.ts';
import { streamRoutes } from './features/streaming/stream-routes.ts';
import { subtitleRoutes } from './features/subtitles/subtitle-routes.ts';
import { tagTransferRoutes } from './features/tag-transfer/tag-transfer-routes.ts';
import { taggingRoutes } from './features/tagging/tagging-routes.ts';
import { tagRoutes } from './features/tags/tag-routes.ts';
import { uploadRoutes } from './features/uploads/upload-routes.ts';
import { userRoutes } from './features/users/user-routes.ts';
import { videoRoutes } from './features/videos/video-routes.ts';
import { watchedRoutes } from './features/watched/watched-routes.ts';
import { trustedProxyCheck } from './http/client-address.ts';
import { headersCheckMs, limitPipelining } from './http/connections/connection-limits.ts';
import { hostNames } from './http/local-names.ts';
import { ownCookie } from './http/pipeline/cookies.ts';
import { answerClientError, answerError, NotFound, Unavailable, watchMethods } from './http/pipeline/errors.ts';
import { repeatAnswers } from './http/pipeline/repeat-answers.ts';
import { serveApp } from './http/pipeline/representation.ts';
import {
  encodePathSegment,
  longestSegment,
  readJsonBodies,
  refuseBadEncoding,
} from './http/pipeline/request-parsing.ts';
import { revisionFor } from './http/pipeline/revision.ts';
import { measureRequests, provideFacts } from './http/pipeline/route.ts';
import { answerOwnHosts, refuseCrossSite, warnOfUnnamedProxy } from './http/protection/allowed-hosts.ts';
import { auditAdminActs } from './http/protection/audit.ts';
import { addSecurityHeaders } from './http/protection/security-headers.ts';
import { createCallBudgets, limitCalls } from './limits/call-budgets.ts';
import { dropOverdueAnswers, enforceDeadlines } from './limits/deadlines.ts';
import { refuseTooMany } from './limits/overload.ts';
import { withoutQuery } from './log.ts';
import type { Services } from './services/services.ts';
import type { SecureOrigin } from './tls/secure-origin.ts';

/** Builds the whole server; it listens on no port yet. */
export async function buildApp(services: Services): Promise<FastifyInstance> {
  const { env, log, ids, secureOrigin } = services;
  const app: FastifyInstance = fastify({
    serverFactory: (handler) => openServer(secureOrigin, limitPipelining(handler)),
    loggerInstance: log as FastifyBaseLogger,
    // The `onResponse` hook below logs one line per request, without the query.
    logController: new LogController({ disableRequestLogging: true }),
    // Log lines carry their request id themselves: a child logger per request costs more than all
    // hooks together.
    childLoggerFactory: (logger) => logger,
    genReqId: () => ids.request(),
    requestIdHeader: false,
    // `X-Forwarded` headers are believed only from the proxies that the operator names. Whatever
    // those proxies were told in turn can be forged.
    trustProxy: trustedProxyCheck(env),
    bodyLimit: usualFacts.bodyKiB * 1024,
    // The hook in `addHooks` refuses requests during the shutdown, in the usual error format.
    return503OnClosing: false,
    routerOptions: { maxParamLength: longestSegment },
    rewriteUrl: (request) => encodePathSegment(request.url ?? '/'),
    frameworkErrors: (error, request, reply) => answerError(error, request, reply),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, ids),
  });
  services.unread.watch(app.server);
  app.decorate('identifyCaller', services.identifyCaller);
  app.decorateRequest('caller', null);
  app.removeContentTypeParser('text/plain');
  readJsonBodies(app);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(new NotFound('page'), request, reply));

  await addHooks(app, services);
  const refuseOtherMethods = watchMethods(app);
  await siteRoutes(app, services);
  metricsRoute(app, services);
  feedRoutes(app, services);
  streamRoutes(app, services);
  performanceRoutes(app, services);
  videoRoutes(app, { ...services, rateLimits: services.accounts.rateLimits });
  subtitleRoutes(app, services);
  libraryRoutes(app, services);
  reportRoutes(app, { ...services, rateLimits: services.accounts.rateLimits });
  tagRoutes(app, { ...services, rateLimits: services.accounts.rateLimits });
  tagTransferRoutes(app, services);
  browseRoutes(app, services);
  taggingRoutes(app, services);
  watchedRoutes(app, services);
  adminRoutes(app, services);
  settingRoutes(app, { ...services, gate: services.accounts.gate, hostNames: ownNames(services) });
  await accountRoutes(app, services);
  await uploadRoutes(app, services);
  refuseOtherMethods();
  await pageRoute(app, services, join(services.folders.app, 'index.html'), (request) => tellVisitor(services, request));
  await serveApp(app, services.folders.app);
  return app;
}

/** There is no `requestTimeout`: `watchBody` limits a body by its data rate instead. */
function openServer(secureOrigin: SecureOrigin | null, handler: RequestListener): Server {
  return (
    secureOrigin?.createServer(handler) ??
    createServer({ connectionsCheckingInterval: headersCheckMs, requestTimeout: 0 }, handler)
  );
}

async function tellVisitor({ accounts }: Services, request: FastifyRequest): Promise<PageVisitor> {
  if (!(await isAdmitted(accounts.gate, request))) return 'shut-out';
  return (await sessionCookie.read(accounts.keys, request)) === null ? 'stranger' : 'known';
}

async function accountRoutes(app: FastifyInstance, { accounts }: Services): Promise<void> {
  gateRoutes(app, accounts);
  authRoutes(app, accounts);
  await providerRoutes(app, accounts);
  userRoutes(app, accounts);
  planRoutes(app, accounts);
}

/** The hooks of a server that only runs jobs, that leaves, or that stops. */
function addNodeHooks(app: FastifyInstance, { env, nodes }: Services): void {
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('x-request-id', request.id);
    if (nodes.isDraining && request.raw.httpVersionMajor === 1) reply.header('connection', 'close');
    if (isStopping) throw new Unavailable('The server is stopping.');
    if (env.role === 'jobs' && !forMonitors.has(withoutQuery(request.url))) throw new NotFound('page');
  });
  app.addHook('onResponse', async ({ raw }: { raw: object }) => {
    // HTTP/2 has no such header: GOAWAY tells the client to begin nothing on this connection.
    if (nodes.isDraining && 'stream' in raw) (raw as Http2ServerRequest).stream.session?.close();
  });
}

/** The paths that a server answers which only runs jobs. */
const forMonitors: ReadonlySet<string> = new Set([readHealth.path, readReadiness.path, readMetrics.path]);

async function addHooks(app: FastifyInstance, services: Services): Promise<void> {
  const { env, accounts, clock } = services;
  if (services.metrics !== null) measureRequests(app, services.metrics.requests);
  provideFacts(app);
  addNodeHooks(app, services);
  refuseTooMany(app, services.overload);
  await addSecurityHeaders(app, {
    analyticsEndpoint: services.env.analytics?.endpoint,
    mediaOrigin: services.store?.direct?.origin ?? null,
    appFolder: services.folders.app,
    isPubliclyTrusted: () => services.secureOrigin?.isPubliclyTrusted() ?? false,
  });
  enforceDeadlines(app);
  limitCalls(app, createCallBudgets(clock));
  await app.register(cookie);
  warnOfUnnamedProxy(app, trustedProxyCheck(env));
  answerOwnHosts(app, {
    allowed: env.allowedHosts,
    get publicOrigin() {
      return env.publicOrigin;
    },
    hostNames: ownNames(services),
  });
  refuseCrossSite(app, env);
  closeGate(app, accounts.gate, env.requestAccess);
  repeatAnswers(app, accounts);
  auditAdminActs(app, accounts.audit);
  app.addHook('onRequest', refuseBadEncoding);
  app.addHook('onSend', async (request, reply, payload) => {
    const revision =
      isJson(reply) && request.facts?.needsDatabase !== false ? await services.revisions.current() : null;
    if (revision !== null) reply.header('x-revision', revisionFor(revision, request.caller?.user?.revision ?? 0));
    return payload;
  });
  if (env.databaseReadUrl !== undefined) showOwnWrites(app);
  dropOverdueAnswers(app);
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, id } = request;
    request.log.info(
      {
        request_id: id,
        method,
        path: withoutQuery(url),
        status: reply.raw.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    );
  });
}

const wroteCookie = 'wrote';

/**
 * Lists come from the primary for a call that has written, and for all calls of its browser, on any
 * server, until a replica that is asked has the writes.
 */
function showOwnWrites(app: FastifyInstance): void {
  const calls = new WeakMap<FastifyRequest, CallWrites>();
  app.addHook('preHandler', (request, _reply, done) => {
    const call = { readsPrimary: ownCookie.read(request, wroteCookie) !== undefined, hasWritten: false };
    calls.set(request, call);
    callWrites.run(call, done);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (calls.get(request)?.hasWritten === true) ownCookie.set(request, reply, wroteCookie, '1', ownWritesSeconds);
    return payload;
  });
}

/** Lists the names of this host and those in its certificate. */
function ownNames({ env, secureOrigin }: Services): () => readonly string[] {
  const own = [...hostNames(hostname()), ...(env.tls.kind === 'local' ? env.tls.names : [])];
  return () => (secureOrigin === null ? own : [...own, ...secureOrigin.names()]);
}

function isJson(reply: FastifyReply): boolean {
  return reply.statusCode === 304 || String(reply.getHeader('content-type')).startsWith('application/json');
}
