import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { streamVideo } from '#contract/endpoints.ts';
import { streamQuerySchema } from '#contract/entities/video.ts';
import { linesAllowed } from '#contract/rules/media/rendition.ts';
import type { Features } from '#contract/rules/tiers.ts';
import type { Clock } from '../../clock.ts';
import { NotFound, Unavailable } from '../../http/pipeline/errors.ts';
import { anonymous } from '../../http/pipeline/guards.ts';
import { route } from '../../http/pipeline/route.ts';
import { viewerOf } from '../../http/pipeline/viewer-cookie.ts';
import type { MediaUrlSigner } from '../../http/signing/signed-urls.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { PathResolver } from '../videos/path-resolver.ts';
import type { Video } from '../videos/video.ts';
import type { ByteServices } from './answer-with-bytes.ts';
import { answerWithBytes } from './answer-with-bytes.ts';
import { chooseEncoding } from './choose-encoding.ts';
import type { OpenedVideo, SharedFile, SharedFiles } from './shared-files.ts';
import { createVideoCache } from './video-cache.ts';

export interface StreamServices extends ByteServices {
  clock: Clock;
  idSets: Pick<IdSets, 'matches'>;
  places: PathResolver;
  files: SharedFiles;
  mediaUrls: MediaUrlSigner;
  /** Asked to look again when a file is not what it was. */
  scanner: { request(): unknown };
}

type MediaQuery = z.output<typeof streamQuerySchema>;

export function streamRoutes(app: FastifyInstance, services: StreamServices): void {
  const known = createVideoCache(services.places, services.idSets, services.clock);
  route(app, streamVideo, { query: streamQuerySchema }, async ({ query, request, reply }) => {
    const video = playable(await known.find(query.path));
    const opened = await tryOpen(services, request, video, query);
    const [served, file] =
      opened.kind === 'opened'
        ? [video, opened.file]
        : await openAgain(services, request, playable(await known.findAgain(query.path)), query);
    try {
      return await answerWithBytes(services, {
        request,
        reply,
        video: served,
        file,
        piece: query.piece,
        version: query.version,
      });
    } finally {
      file.release();
    }
  });
}

/** Whether this very server gave the address to this very browser. */
function isSigned({ mediaUrls }: StreamServices, request: FastifyRequest, video: Video, query: MediaQuery): boolean {
  const viewer = viewerOf(request);
  const { rendition, expires, signature } = query;
  if (viewer === undefined || rendition === undefined || expires === undefined || signature === undefined) return false;
  return mediaUrls.isGranted({ viewer, videoId: video.id, rendition }, { expires, signature });
}

/** What never was, is no video or cannot be played answers alike. */
function playable(video: Video | null): Video {
  if (video?.isAvailable !== true) throw new NotFound('video');
  return video;
}

async function tryOpen(
  services: StreamServices,
  request: FastifyRequest,
  video: Video,
  query: MediaQuery,
): Promise<OpenedVideo> {
  chooseEncoding(video, query.rendition, linesAllowed(featuresOf(request)), isSigned(services, request, video, query));
  const place = services.places.fileOf(video);
  return place === null ? { kind: 'gone' } : services.files.open(video, place);
}

/** A file that is not the one that was scanned is not sent: nobody has looked at it yet. */
async function openAgain(
  services: StreamServices,
  request: FastifyRequest,
  video: Video,
  query: MediaQuery,
): Promise<[Video, SharedFile]> {
  const opened = await tryOpen(services, request, video, query);
  if (opened.kind === 'opened') return [video, opened.file];
  services.scanner.request();
  throw opened.kind === 'gone'
    ? new NotFound('video')
    : new Unavailable('This video has just changed and is being looked at.');
}

function featuresOf({ caller }: FastifyRequest): Features {
  return (caller ?? anonymous).features;
}
