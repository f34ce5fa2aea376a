import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { CallFacts } from '#contract/endpoint.ts';
import { usualFacts } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import type { Done, Health } from '#contract/entities/site.ts';
import { shareAction } from '#contract/server-paths.ts';
import type { Env } from '../../env.ts';
import { ensureViewer } from '../../http/pipeline/cookies.ts';
import { rankOf, signedIn } from '../../http/pipeline/guards.ts';
import { portOf } from '../../http/pipeline/listen.ts';
import { sendWithEtag } from '../../http/pipeline/representation.ts';
import { route } from '../../http/pipeline/route.ts';
import type { Ids } from '../../ids.ts';
import type { LiveSettings } from '../../live-settings.ts';
import type { Ffmpeg } from '../../media/ffmpeg/ffmpeg.ts';
import type { Nodes } from '../../nodes/nodes.ts';
import type { SharedTexts } from '../../nodes/shared-texts.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Encodings } from '../encodings/encodings.ts';
import type { LibraryRoots } from '../library/library-roots.ts';
import type { Scanner } from '../library/scan/scanner.ts';
import type { Posters } from '../videos/posters.ts';
import type { AboutSources } from './about.ts';
import { describeInstallation } from './about.ts';
import type { CacheFolders } from './cache.ts';
import { clearCaches } from './cache.ts';
import type { ConfigSources } from './config.ts';
import { readOperatorText, readSiteConfig } from './config.ts';
import type { LibrarySources } from './library-report.ts';
import { readLibraryReport } from './library-report.ts';
import type { DebugSources, ReadinessSources, StatusSources } from './status.ts';
import { checkReadiness, describeProcess, readSiteStatus } from './status.ts';

interface SiteServices
  extends ConfigSources,
    DebugSources,
    LibrarySources,
    AboutSources,
    StatusSources,
    ReadinessSources {
  roots: LibraryRoots;
  nodes: Nodes;
  env: Env;
  ids: Ids;
  scanner: Scanner;
  folders: CacheFolders & { shippedNews: string; shippedEula: string };
  posters: Posters;
  encodings: Encodings;
  copies: Parameters<typeof clearCaches>[3];
  settings: Pick<LiveSettings, 'textOf'>;
  texts: SharedTexts;
}

const healthy: Health = { status: 'ok' };
const done: Done = { success: true };

/** The routes for the site's own state and settings. */
export async function siteRoutes(app: FastifyInstance, services: SiteServices): Promise<void> {
  const { scanner, folders } = services;
  await shareRoute(app);

  route(app, endpoints.readConfig, {}, async ({ request, reply }) => {
    ensureViewer(request, reply, services.ids);
    return sendWithEtag(request, reply, await readSiteConfig(services));
  });

  route(app, endpoints.readStatus, {}, async ({ caller, request, reply }) =>
    sendWithEtag(request, reply, await readSiteStatus(services, rankOf(caller))),
  );

  route(app, endpoints.readWhatsNew, {}, async ({ reply }) => {
    reply.type('text/markdown; charset=utf-8').header('cache-control', 'no-cache');
    return readOperatorText(services, 'WHATS_NEW', folders.shippedNews);
  });

  route(app, endpoints.readEula, {}, async ({ reply }) => {
    reply.type('text/markdown; charset=utf-8').header('cache-control', 'no-cache');
    return readOperatorText(services, 'AGREEMENT', folders.shippedEula);
  });

  route(app, endpoints.readHealth, {}, async () => healthy);

  route(app, endpoints.readReadiness, {}, async () => {
    await checkReadiness(services);
    return readHealth(services.ffmpeg);
  });

  route(app, endpoints.readDebug, {}, async () => describeProcess(services));

  route(app, endpoints.rescanLibrary, {}, async ({ reply }) => {
    void scanner.request();
    reply.code(202);
    return done;
  });

  route(app, endpoints.readLibrary, {}, async () => readLibraryReport(services));

  route(app, endpoints.readAbout, {}, async () => describeInstallation(services, portOf(app.server)));

  route(app, endpoints.readEncodingOverview, {}, async () => services.encodings.readOverview());

  route(app, endpoints.clearCache, {}, async ({ caller }) => ({
    ...done,
    freed_bytes: await clearAll(services, signedIn(caller).userId),
  }));
}

/**
 * A readiness probe gives up early, and a busy machine takes longer than this to test its
 * sandboxes.
 */
const searchPatienceMs = 1_000;

/** Names what is missing, as far as it is known. None of it keeps the site from being ready. */
async function readHealth(ffmpeg: Ffmpeg): Promise<Health> {
  return Promise.race([findMissing(ffmpeg), setTimeout(searchPatienceMs, healthy, { ref: false })]);
}

async function findMissing(ffmpeg: Ffmpeg): Promise<Health> {
  if ((await ffmpeg.locate()) === null) return { status: 'degraded', missing: ['ffmpeg'] };
  return (await ffmpeg.confinement()).kind === 'none' ? { status: 'degraded', missing: ['sandbox'] } : healthy;
}

async function clearAll(
  { folders, posters, encodings, database, clock, copies }: SiteServices,
  actorId: string,
): Promise<number> {
  const freedBytes = await clearCaches(folders, posters, encodings, copies);
  const cleared = { actorId, kind: 'cache_cleared', detail: `${freedBytes} bytes` } as const;
  await database.write((transaction) => recordActivity(transaction, cleared, clock.now()));
  return freedBytes;
}

/**
 * The route is not part of the contract's calls. It opens the app, which asks for the password
 * itself.
 */
const shareFacts: CallFacts = {
  ...usualFacts,
  gate: 'open',
  credential: 'bearer',
  expiredToken: 'ignored',
  needsDatabase: false,
  isRepeatable: false,
};

/**
 * Receives files that are shared to the app while its service worker, which would store them, is
 * not active. They cannot be kept for an unknown user: nothing is read, and the opened page asks
 * for the files again.
 */
async function shareRoute(app: FastifyInstance): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.post(shareAction, { config: { facts: shareFacts } }, async (request, reply) => {
      // The rest of the files is not awaited.
      if (request.raw.httpVersionMajor === 1) reply.header('connection', 'close');
      return reply.header('cache-control', 'no-store').redirect('/?view=upload', 303);
    });
  });
}
