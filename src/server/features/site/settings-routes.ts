import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { configUpdateSchema } from '#contract/entities/feed.ts';
import { idParamsSchema } from '#contract/entities/fields.ts';
import { folderQuerySchema, siteSettingsUpdateSchema } from '#contract/entities/site.ts';
import type { Env } from '../../env.ts';
import { matchRanges } from '../../http/client-address.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import { createOwnHostCheck, hostNameOf } from '../../http/protection/allowed-hosts.ts';
import { settingRepository } from '../../settings-repository.ts';
import type { SiteGate } from '../gate/site-gate.ts';
import { setGateCookie } from '../gate/site-gate.ts';
import { FolderBrowser } from './folder-browser.ts';
import type { SettingDeps, SettingEditor } from './settings.ts';
import { changeSettings, readSettings, undoSettingChange } from './settings.ts';

interface SettingServices extends SettingDeps {
  gate: SiteGate;
  /** Names of this host and of its certificate. */
  hostNames: () => readonly string[];
}

/** The endpoints for the settings that administrators change. */
export function settingRoutes(app: FastifyInstance, services: SettingServices): void {
  const { gate, hostNames } = services;
  const browser = new FolderBrowser(services.settings.env);
  const editorOf = (userId: string, request: FastifyRequest): SettingEditor => ({
    userId,
    wouldReach: (next) => wouldAnswer(request, next, hostNames),
  });
  // Whoever sets a site password knows it, and is not asked for it.
  const letIn = async (request: FastifyRequest, reply: FastifyReply) => {
    if (gate.isClosed) await setGateCookie(gate, request, reply);
  };

  route(app, endpoints.readSettings, {}, async () => readSettings(services));

  route(app, endpoints.updateSettings, { body: siteSettingsUpdateSchema }, async ({ body, caller, request, reply }) => {
    const editor = editorOf(signedIn(caller).userId, request);
    await changeSettings(services, body.values, editor, body.known_folders);
    await letIn(request, reply);
    return readSettings(services);
  });

  route(app, endpoints.updateConfig, { body: configUpdateSchema }, async ({ body, caller, request }) => {
    const seconds = String(body.video_settings.switch_interval_seconds);
    await changeSettings(services, { SWITCH_INTERVAL_SECONDS: seconds }, editorOf(signedIn(caller).userId, request));
    return { success: true as const, video_settings: body.video_settings };
  });

  route(app, endpoints.listFolders, { query: folderQuerySchema }, async ({ query }) => browser.list(query.path));

  route(app, endpoints.endFirstRun, {}, async ({ caller }) => {
    const { userId } = signedIn(caller);
    await services.database.write((transaction) => settingRepository.endFirstRun(transaction, userId));
    return null;
  });

  route(app, endpoints.undoActivity, { params: idParamsSchema }, async ({ params, caller, request, reply }) => {
    await undoSettingChange(services, params.id, editorOf(signedIn(caller).userId, request));
    await letIn(request, reply);
    return null;
  });
}

/** Whether a request like this one would be answered under other settings. */
function wouldAnswer({ headers, socket }: FastifyRequest, next: Env, hostNames: () => readonly string[]): boolean {
  const isOwn = createOwnHostCheck({ allowed: next.allowedHosts, publicOrigin: next.publicOrigin, hostNames });
  const forwarded = String(headers['x-forwarded-host'] ?? '');
  const isForwarded = forwarded !== '' && matchRanges(next.trustedProxies)(socket.remoteAddress);
  const direct = headers.host ?? String(headers[':authority'] ?? '');
  const names = isForwarded ? [direct, forwarded.split(',').at(-1)?.trim() ?? ''] : [direct];
  return names.every((name) => isOwn(hostNameOf(name)));
}
