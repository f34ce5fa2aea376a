import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { streamVideo } from '#contract/endpoints.ts';
import { streamQuerySchema } from '#contract/entities/video.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Unavailable } from '../../http/pipeline/errors.ts';
import { route } from '../../http/pipeline/route.ts';
import { viewerOf } from '../../http/pipeline/viewer-cookie.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import { deviceOf, linesOf } from '../videos/audience.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { Video } from '../videos/video.ts';
import type { ByteServices } from './answer-with-bytes.ts';
import { answerWithBytes } from './answer-with-bytes.ts';
import { chooseFile } from './choose-file.ts';
import type { MediaFile, MediaPlaces } from './media-file.ts';
import type { OpenedFile, SharedFile, SharedFiles } from './shared-files.ts';
import type { StreamedVideo } from './video-cache.ts';
import { VideoCache } from './video-cache.ts';

export interface StreamServices extends ByteServices, MediaPlaces {
  clock: Clock;
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'matches'>;
  places: PathResolver;
  files: SharedFiles;
  mediaUrls: MediaUrlSigner;
  /** Hears which derived files are played, and which are not there any more. */
  encodings: { noteUse(content: string): void; noteMissing(content: string): Promise<void> };
  /** Asked to look again when a file is not what it was. */
  scanner: { request(): unknown };
}

type MediaQuery = z.output<typeof streamQuerySchema>;

/** A file that was chosen, and what became of opening it. */
interface Try {
  file: MediaFile;
  opened: OpenedFile;
}

export function streamRoutes(app: FastifyInstance, services: StreamServices): void {
  const known = new VideoCache(services);
  route(app, streamVideo, { query: streamQuerySchema }, async ({ query, request, reply }) => {
    const first = await tryOpen(services, request, await known.find(query.path), query);
    const { file, opened } =
      first.opened.kind === 'opened'
        ? first
        : await tryOpen(services, request, await known.findAgain(query.path), query);
    const source = opened.kind === 'opened' ? opened.file : await refuse(services, request, file, opened.kind);
    try {
      if (file.content !== null) services.encodings.noteUse(file.content);
      const { piece, version } = query;
      return await answerWithBytes(services, { request, reply, file, source, piece, version });
    } finally {
      source.release();
    }
  });
}

/** @param streamed null: what never was, is no video or cannot be played answers alike */
async function tryOpen(
  services: StreamServices,
  request: FastifyRequest,
  streamed: StreamedVideo | null,
  query: MediaQuery,
): Promise<Try> {
  if (streamed === null) throw new NotFound('video');
  const file = chooseFile(streamed, {
    rendition: query.rendition,
    version: query.version,
    device: deviceOf(request),
    lines: linesOf(request),
    isSigned: () => isSigned(services, request, streamed.video, query),
  });
  return { file, opened: file.place === null ? { kind: 'gone' } : await services.files.open(file, file.place) };
}

/**
 * Whether this very server gave the address to this very browser. What was given by the right of a plan holds as long as
 * whoever asks has it: for a request that names nobody, until it expires.
 */
function isSigned({ mediaUrls }: StreamServices, request: FastifyRequest, video: Video, query: MediaQuery): boolean {
  const viewer = viewerOf(request);
  const { rendition, expires, signature } = query;
  if (viewer === undefined || rendition === undefined || expires === undefined || signature === undefined) return false;
  const rights = request.caller?.user ? (['everybody'] as const) : (['everybody', 'hd'] as const);
  return rights.some((right) =>
    mediaUrls.isGranted({ viewer, videoId: video.id, rendition, right }, { expires, signature }),
  );
}

/** A file that is not the one that was scanned or made is not sent: nobody knows what it is. @throws always */
async function refuse(
  { encodings, scanner }: StreamServices,
  request: FastifyRequest,
  { content }: MediaFile,
  why: 'gone' | 'changed',
): Promise<SharedFile> {
  if (content !== null) {
    await encodings.noteMissing(content).catch((err: unknown) => {
      request.log.warn({ err, request_id: request.id }, 'an encoding that is gone could not be taken off the list');
    });
    throw new NotFound('video');
  }
  scanner.request();
  throw why === 'gone' ? new NotFound('video') : new Unavailable('This video has just changed and is being looked at.');
}
