import type { IncomingMessage } from 'node:http';
import { constants, Http2ServerRequest } from 'node:http2';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CallFacts } from '#contract/endpoint.ts';
import { usualFacts } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { idParamsSchema, uploadParamsSchema } from '#contract/entities/fields.ts';
import {
  removedUploadListQuerySchema,
  uploadCompletionSchema,
  uploadHistoryQuerySchema,
  uploadStartSchema,
  uploadStatsQuerySchema,
} from '#contract/entities/upload.ts';
import { clientAddress } from '../../http/client-address.ts';
import { answerError, Refusal } from '../../http/pipeline/errors.ts';
import type { Caller } from '../../http/pipeline/guards.ts';
import { rankOf, signedIn } from '../../http/pipeline/guards.ts';
import type { OpenStreams } from '../../http/pipeline/listen.ts';
import { route } from '../../http/pipeline/route.ts';
import { audienceOf } from '../videos/audience.ts';
import { historyRepository } from './history-repository.ts';
import type { RequestBody } from './receiving/upload-request.ts';
import {
  abilities,
  everyAnswer,
  headerOf,
  readChecksum,
  readPatchOffset,
  readRequestBody,
  requireVersion,
  setExpiry,
} from './receiving/upload-request.ts';
import { closeSession, terminateFile } from './session-end.ts';
import { completeSession, readHistory, readProgress } from './session-outcome.ts';
import type { RemovalDeps } from './stored/upload-removal.ts';
import { uploadRemoval } from './stored/upload-removal.ts';
import { expiryOf, uploadAddressPrefix } from './upload-file.ts';
import type { Admitted, SessionClaim } from './upload-session.ts';
import { findOwnSession, renewKey, startUploadSession } from './upload-session.ts';
import type { Uploads } from './uploads.ts';

interface UploadServices {
  uploads: Uploads;
  streams: OpenStreams;
}

/** The endpoints for uploads, and the addresses that receive their bytes. */
export async function uploadRoutes(app: FastifyInstance, services: UploadServices): Promise<void> {
  sessionRoutes(app, services.uploads);
  removalRoutes(app, services.uploads);
  await addressRoutes(app, services);
}

function sessionRoutes(app: FastifyInstance, uploads: Uploads): void {
  const { database, clock, ids } = uploads;
  const { reader } = database;

  route(app, endpoints.startUpload, { body: uploadStartSchema }, async ({ caller, body, reply }) => {
    const session = await startUploadSession(uploads, signedIn(caller), body);
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
    readHistory(uploads, { userId: signedIn(caller).userId, rank: rankOf(caller) }, query),
  );

  route(app, endpoints.readUploadStats, { query: uploadStatsQuerySchema }, async ({ caller, query }) => {
    const user = signedIn(caller);
    if (query.scope === 'site' && !user.isAdmin) throw new Refusal('forbidden');
    return historyRepository.readStats(reader, query.scope === 'site' ? null : user.userId);
  });
}

function ownerClaim(caller: Caller): SessionClaim {
  return { userId: signedIn(caller).userId, key: null };
}

function claimOf({ user }: Caller, request: FastifyRequest): SessionClaim {
  return { userId: user?.userId ?? null, key: headerOf(request, 'accesskey') ?? null };
}

/** The endpoints that delete, list, restore and purge uploads. */
function removalRoutes(app: FastifyInstance, uploads: RemovalDeps): void {
  route(app, endpoints.deleteUploadedFile, { params: idParamsSchema }, async ({ params, caller }) => {
    await uploadRemoval.delete(uploads, params.id, signedIn(caller));
    return null;
  });

  route(app, endpoints.listRemovedUploads, { query: removedUploadListQuerySchema }, async ({ query }) =>
    uploadRemoval.readPage(uploads.database.reader, query),
  );

  route(app, endpoints.restoreUpload, { params: idParamsSchema }, async ({ params, caller }) => {
    await uploadRemoval.restore(uploads, params.id, signedIn(caller).userId);
    return null;
  });

  route(app, endpoints.purgeUpload, { params: idParamsSchema }, async ({ params, caller }) => {
    await uploadRemoval.purge(uploads, params.id, signedIn(caller).userId);
    return null;
  });
}

/**
 * Upload addresses are no calls of the contract: the gate is open, because the key authorizes;
 * bytes have no deadline.
 */
const facts: CallFacts = {
  ...usualFacts,
  gate: 'open',
  credential: 'key',
  isRepeatable: false,
  deadlineSeconds: Number.POSITIVE_INFINITY,
  refused: 'never',
};

/**
 * The addresses that receive the bytes of uploads: plain PUT, and tus 1.0.0 with checksum,
 * termination and expiration.
 */
async function addressRoutes(app: FastifyInstance, services: UploadServices): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Only the handler itself reads the body.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onRequest', async (_request, reply) => void reply.headers(everyAnswer));
    scope.setErrorHandler((error, request, reply) => {
      endSoon(request.raw, reply, isConflict(error));
      return answerError(error, request, reply);
    });
    tusRoutes(scope, services);
    plainRoutes(scope, services);
  });
}

const lingerMs = 1_000;
const conflictLingerMs = 10;

/**
 * Discards the rest of a refused body, for a short time. A connection that is closed at once is
 * reset while the client or a proxy still sends, and the answer is lost.
 *
 * After a conflict of offsets nothing more is read: Chromium repeats a request by itself when a
 * reused connection is reset, and does not end when it is refused. A lost answer does no harm
 * there, because the client asks for the offset anyway.
 */
function endSoon(raw: IncomingMessage | Http2ServerRequest, reply: FastifyReply, isConflict: boolean): void {
  if (raw.complete) return;
  // Node would close the connection right after the answer when the client has asked for that.
  if (raw.httpVersionMajor === 1) reply.header('connection', 'keep-alive');
  // Node discards a body that nobody has begun to read. `read` takes all buffered bytes: with a
  // full buffer, less would start nothing.
  if (isConflict) raw.read();
  else raw.resume();
  const timer = setTimeout(endNow, isConflict ? conflictLingerMs : lingerMs, raw).unref();
  raw.once('close', () => clearTimeout(timer));
}

/**
 * Closes only the stream of an HTTP/2 request, without an error, so that the client keeps the
 * answer.
 */
function endNow(raw: IncomingMessage | Http2ServerRequest): void {
  if (raw.complete) return;
  if (raw instanceof Http2ServerRequest) raw.stream.close(constants.NGHTTP2_NO_ERROR);
  else raw.destroy();
}

function isConflict(error: unknown): boolean {
  return error instanceof Refusal && error.code === 'conflict';
}

function tusRoutes(scope: FastifyInstance, services: UploadServices): void {
  const { uploads } = services;
  const { locks, receiver } = uploads;
  const config = { facts };
  const url = `${uploadAddressPrefix}:address`;

  scope.options(url, { config }, async (_request, reply) => reply.code(204).headers(abilities).send());

  scope.head(url, { config }, async (request, reply) => {
    requireVersion(request);
    const { file, session } = await admit(services, request);
    const offset = await receiver.readOffset(file);
    reply.headers({ 'upload-offset': String(offset), 'upload-length': String(file.size) });
    setExpiry(reply, expiryOf(session));
    return reply.code(200).send();
  });

  scope.patch(url, { config }, async (request, reply) => {
    requireVersion(request);
    const { file, session } = await admit(services, request);
    const offset = readPatchOffset(request);
    const checksum = readChecksum(headerOf(request, 'upload-checksum'));
    const body = readRequestBody(request);
    const reached = await whileOpen(services, body, () => receiver.append(file, { offset, checksum, body }));
    setExpiry(reply, expiryOf({ activeAt: locks.life.activeAt(session) }));
    return reply.code(204).header('upload-offset', String(reached)).send();
  });

  scope.delete(url, { config }, async (request, reply) => {
    requireVersion(request);
    const { file } = await uploads.access.find(...readClaim(request));
    if (file.state === 'completed') throw new Refusal('conflict', { message: 'This file has become a video.' });
    await terminateFile(uploads, file);
    return reply.code(204).send();
  });
}

function plainRoutes(scope: FastifyInstance, services: UploadServices): void {
  const config = { facts };
  const url = `${uploadAddressPrefix}:address`;

  scope.put(url, { config }, async (request, reply) => {
    const { file } = await admit(services, request);
    if (request.headers['content-range'] !== undefined)
      throw new Refusal('bad_request', { message: 'A part of a file is sent by PATCH.' });
    const body = readRequestBody(request);
    await whileOpen(services, body, () => services.uploads.receiver.replace(file, body));
    return reply.code(201).send();
  });

  // The key only allows sending: nothing can be read with it.
  scope.get(url, { config, exposeHeadRoute: false }, async (request) => {
    await admit(services, request);
    throw new Refusal('forbidden');
  });
}

async function admit({ uploads: { access } }: UploadServices, request: FastifyRequest): Promise<Admitted> {
  return access.admit(...readClaim(request));
}

function readClaim(request: FastifyRequest): [address: string, key: string, client: string] {
  const { address } = request.params as { address: string };
  return [address, headerOf(request, 'accesskey') ?? '', clientAddress(request)];
}

/**
 * Cuts bodies when the server stops, as it cuts videos: received bytes stay, and the client
 * continues later. A refused body is answered at once; its work ends with the connection.
 */
async function whileOpen<T>({ streams }: UploadServices, body: RequestBody, work: () => Promise<T>): Promise<T> {
  const remove = streams.add(() => body.cut());
  const done = work().finally(remove);
  return Promise.race([done, body.refused]);
}
