import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { streamVideo } from '#contract/endpoints.ts';
import { streamQuerySchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import type { FileWindow } from '#contract/rules/file-windows.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Deliveries } from '../../http/connections/deliveries.ts';
import type { SentBytes } from '../../http/connections/sent-bytes.ts';
import { viewerOf } from '../../http/pipeline/cookies.ts';
import { NotFound, Refusal, Unavailable } from '../../http/pipeline/errors.ts';
import { anonymous, rankOf } from '../../http/pipeline/guards.ts';
import { contentRange, readByteRange } from '../../http/pipeline/representation.ts';
import { answered, route } from '../../http/pipeline/route.ts';
import type { MediaUrlSigner } from '../../http/signing.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { OpenedFile, SharedFile } from '../../storage/storage.ts';
import { allowedHeightOf, deviceOf } from '../videos/audience.ts';
import type { LibraryVideo, PathResolver } from '../videos/video.ts';
import type { ByteSender } from './byte-sender.ts';
import type { FileSource } from './chunk-reader.ts';
import { socketOf } from './chunk-reader.ts';
import type { MediaFile, MediaPlaces, StreamedVideo } from './media-files.ts';
import { chooseFile, isNotModified, mayUseRange, VideoCache } from './media-files.ts';
import { WithheldAnswers } from './withheld-answers.ts';

interface StreamServices extends ByteServices, MediaPlaces {
  clock: Clock;
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'matches'>;
  restrictedTags: Pick<RestrictedTags, 'isWithheld' | 'listShown'>;
  places: PathResolver;
  mediaUrls: MediaUrlSigner;
  encodings: { noteUse(content: string): void; noteMissing(content: string): Promise<void> };
  /** Asked for a scan when a file is not the expected one. */
  scanner: { requestForViewer(): void };
  roots: { isAway(rootNumber: number): Promise<boolean> };
}

type MediaQuery = z.output<typeof streamQuerySchema>;

interface Try {
  file: MediaFile;
  video: LibraryVideo;
  isForSome: boolean;
  plan: AnswerPlan;
  opened: OpenedFile;
}

export function streamRoutes(app: FastifyInstance, services: StreamServices): void {
  const known = new VideoCache(services);
  const answers = new WithheldAnswers(services.restrictedTags, (request) => app.identifyCaller(request));
  route(app, streamVideo, { query: streamQuerySchema }, async ({ query, request, reply }) => {
    const first = await tryOpen(services, request, await known.find(query.path), query);
    const { file, video, isForSome, plan, opened } =
      first.opened.kind === 'opened'
        ? first
        : await tryOpen(services, request, await known.findAgain(query.path), query);
    const source =
      opened.kind === 'opened' ? opened.file : await refuseFile(services, request, { ...file, video }, opened.kind);
    try {
      if (file.content !== null) services.encodings.noteUse(file.content);
      const headers = mediaHeaders(file, isForSome ? undefined : query.version);
      const begin = () => answers.begin({ request, response: reply.raw, videoNumber: video.number });
      return await answerWithBytes(services, { request, reply, file, headers, source, plan, begin });
    } finally {
      source.release();
    }
  });
}

/**
 * @param streamed null for an unknown path and for one that cannot be played: both get the same
 * answer
 */
async function tryOpen(
  services: StreamServices,
  request: FastifyRequest,
  streamed: StreamedVideo | null,
  query: MediaQuery,
): Promise<Try> {
  if (streamed === null) throw new NotFound('video');
  const { video } = streamed;
  const rank = rankOf(request.caller ?? anonymous);
  if (await services.restrictedTags.isWithheld(rank, video.number)) throw new NotFound('video');
  const isForSome = rank > 0 && (await services.restrictedTags.isWithheld(0, video.number));
  const file = chooseFile(streamed, {
    rendition: query.rendition,
    version: query.version,
    device: deviceOf(request),
    lines: allowedHeightOf(request),
    isSigned: () => isSigned(services, request, video, query),
  });
  const plan = planAnswer(request, file, query.piece);
  return {
    file,
    video,
    isForSome,
    plan,
    opened: await file.open(plan.kind === 'bytes' && file.size > 0 ? plan.window : null),
  };
}

/** RFC 9110, sections 13 to 15, asks for one of these: 304, 416, a head alone, or bytes. */
type AnswerPlan =
  | { kind: 'not-modified' }
  | { kind: 'unsatisfiable' }
  | { kind: 'head' | 'bytes'; window: FileWindow; isPart: boolean };

/** @param piece the most bytes of an answer to a range request */
function planAnswer(request: FastifyRequest, file: MediaFile, piece: number | undefined): AnswerPlan {
  if (isNotModified(request.headers, file)) return { kind: 'not-modified' };
  const header = request.method === 'GET' && mayUseRange(request.headers, file) ? request.headers.range : undefined;
  const asked = readByteRange(header, file.size, piece);
  if (asked.kind === 'unsatisfiable') return asked;
  const isPart = asked.kind === 'part';
  const window = isPart ? asked.window : { start: 0, end: file.size - 1 };
  return { kind: request.method === 'HEAD' ? 'head' : 'bytes', window, isPart };
}

/**
 * Whether this server issued the URL to this browser. A URL issued by the right of a plan is valid
 * as long as the caller has that plan; without a signed-in caller, until it expires.
 */
function isSigned(
  { mediaUrls }: StreamServices,
  request: FastifyRequest,
  video: LibraryVideo,
  query: MediaQuery,
): boolean {
  const viewer = viewerOf(request);
  const { rendition, expires, signature } = query;
  if (viewer === undefined || rendition === undefined || expires === undefined || signature === undefined) return false;
  const rights = request.caller?.user ? (['everybody'] as const) : (['everybody', 'hd'] as const);
  return rights.some((right) =>
    mediaUrls.isGranted({ viewer, videoId: video.id, rendition, right }, { expires, signature }),
  );
}

/** Refuses a file that is not the scanned or derived one: its content is unknown. @throws always */
async function refuseFile(
  { encodings, scanner, roots }: StreamServices,
  request: FastifyRequest,
  { content, video }: Pick<MediaFile, 'content'> & Pick<Try, 'video'>,
  why: 'gone' | 'changed',
): Promise<SharedFile> {
  if (content !== null) {
    await encodings.noteMissing(content).catch((err: unknown) => {
      request.log.warn({ err, request_id: request.id }, 'an encoding that is gone could not be taken off the list');
    });
    throw new NotFound('video');
  }
  // Another server says whether the file is gone.
  if (await roots.isAway(video.rootNumber)) throw new Unavailable('This server cannot reach the video at the moment.');
  scanner.requestForViewer();
  throw why === 'gone' ? new NotFound('video') : new Unavailable('This video has just changed and is being looked at.');
}

interface ByteServices {
  sender: ByteSender;
  sentBytes: SentBytes;
  deliveries: Deliveries;
}

interface ByteCall {
  request: FastifyRequest;
  reply: FastifyReply;
  file: MediaFile;
  /** The source of its bytes. */
  source: FileSource;
  plan: AnswerPlan;
  headers: Readonly<Record<string, string>>;
  /** Called when bytes are about to be sent. @returns a function to call at their end */
  begin(): () => void;
}

/** Answers as planned. */
async function answerWithBytes(
  { sender, sentBytes, deliveries }: ByteServices,
  { request, reply, file, headers: ownHeaders, source, plan, begin }: ByteCall,
): Promise<typeof answered> {
  const { size } = file;
  if (plan.kind === 'not-modified') {
    reply.headers(ownHeaders).code(304).send();
    return answered;
  }
  if (plan.kind === 'unsatisfiable')
    throw new Refusal('range_not_satisfiable', { headers: { 'content-range': `bytes */${size}` } });
  const { window, isPart } = plan;
  const sendHead = () => {
    const headers = headersOf(reply);
    Object.assign(headers, ownHeaders);
    headers['content-length'] = window.end - window.start + 1;
    if (isPart) headers['content-range'] = contentRange(window, size);
    reply.raw.writeHead(isPart ? 206 : 200, headers);
    // The response is written directly after this: its bytes bypass the framework.
    reply.hijack();
  };
  if (plan.kind === 'head') {
    sendHead();
    reply.raw.end();
    return answered;
  }
  // The head is already sent, so an error can only cut the answer.
  const readFailed = (error: unknown) =>
    request.log.error({ err: error, request_id: request.id }, 'a video could not be read to the end of an answer');
  const viewer = sentBytes.viewer(request);
  const socket = socketOf(reply.raw);
  const endDelivery = socket && deliveries.begin(socket, viewer);
  const end = begin();
  try {
    await sender.send({ response: reply.raw, viewer, sendHead, readFailed }, source, window);
  } finally {
    endDelivery?.();
    end();
  }
  // A client that disconnected before the first bytes gets no head.
  if (!reply.sent) reply.hijack();
  return answered;
}

/** The headers that were set before; the object may be modified. */
function headersOf(reply: FastifyReply): Record<string, string | number | string[]> {
  return reply.getHeaders() as Record<string, string | number | string[]>;
}

const keepSeconds = limits.mediaUrlHours * 3_600;

/**
 * Only a URL that names these very bytes may be cached without revalidation.
 * @param version the version that the URL names; absent also for a video that is only for some,
 * whose viewers may lose it
 */
function mediaHeaders(file: MediaFile, version: string | undefined): Record<string, string> {
  return {
    'accept-ranges': 'bytes',
    'cache-control': version === file.version ? `private, max-age=${keepSeconds}, immutable` : 'private, no-cache',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-type': file.contentType,
    etag: file.etag,
    'last-modified': file.lastModified,
    'x-content-type-options': 'nosniff',
  };
}
