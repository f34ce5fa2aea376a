import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as endpoints from '#contract/endpoints.ts';
import { uploadParamsSchema } from '#contract/entities/params.ts';
import {
  uploadCompletionSchema,
  uploadHistoryQuerySchema,
  uploadStartSchema,
  uploadStatsQuerySchema,
} from '#contract/entities/upload.ts';
import { Refusal } from '../../http/pipeline/errors.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { signedIn } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import { audienceOf } from '../videos/audience.ts';
import { headerOf } from './address/tus.ts';
import { completeSession } from './intake/complete-session.ts';
import { closeSession } from './session/end-session.ts';
import { readHistory } from './session/history.ts';
import { readStats } from './session/history-repository.ts';
import type { SessionClaim } from './session/own-session.ts';
import { findOwnSession } from './session/own-session.ts';
import { readProgress } from './session/progress.ts';
import { renewKey } from './session/renew-key.ts';
import { startSession } from './session/start-session.ts';
import type { Uploads } from './uploads.ts';

export interface UploadServices {
  uploads: Uploads;
}

export function uploadRoutes(app: FastifyInstance, { uploads }: UploadServices): void {
  const { database, clock, ids } = uploads;
  const { reader } = database;

  route(app, endpoints.startUpload, { body: uploadStartSchema }, async ({ caller, body, reply }) => {
    const session = await startSession(uploads, signedIn(caller), body);
    reply.code(201);
    return session;
  });

  route(app, endpoints.readUploadProgress, { params: uploadParamsSchema }, async ({ caller, params }) => {
    const session = await findOwnSession(reader, params.sessionId, ownerClaim(caller), clock.now());
    return readProgress(reader, session, clock.now());
  });

  route(
    app,
    endpoints.completeUpload,
    { params: uploadParamsSchema, body: uploadCompletionSchema },
    async ({ caller, params, body, request, reply }) => {
      const session = await findOwnSession(reader, params.sessionId, claimOf(caller, request), clock.now());
      return completeSession(uploads, session, body, audienceOf(request, reply, ids));
    },
  );

  route(app, endpoints.cancelUpload, { params: uploadParamsSchema }, async ({ caller, params, request }) => {
    const session = await findOwnSession(reader, params.sessionId, claimOf(caller, request), clock.now());
    await closeSession(uploads, session, 'cancelled');
    return null;
  });

  route(app, endpoints.renewUploadKey, { params: uploadParamsSchema }, async ({ caller, params }) => {
    const session = await findOwnSession(reader, params.sessionId, ownerClaim(caller), clock.now());
    return renewKey(uploads, session);
  });

  route(app, endpoints.listUploadHistory, { query: uploadHistoryQuerySchema }, async ({ caller, query }) =>
    readHistory(reader, signedIn(caller).userId, query),
  );

  route(app, endpoints.readUploadStats, { query: uploadStatsQuerySchema }, async ({ caller, query }) => {
    const user = signedIn(caller);
    if (query.scope === 'site' && !user.isAdmin) throw new Refusal('forbidden');
    return readStats(reader, query.scope === 'site' ? null : user.userId);
  });
}

function ownerClaim(caller: Caller): SessionClaim {
  return { userId: signedIn(caller).userId, key: null };
}

function claimOf({ user }: Caller, request: FastifyRequest): SessionClaim {
  return { userId: user?.userId ?? null, key: headerOf(request, 'accesskey') ?? null };
}
