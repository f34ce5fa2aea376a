import type { FileHandle } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { streamVideo } from '#contract/endpoints.ts';
import { streamQuerySchema } from '#contract/entities/video.ts';
import { linesAllowed } from '#contract/rules/rendition.ts';
import { NotFound, Unavailable } from '../../http/errors.ts';
import type { OpenStreams } from '../../http/open-streams.ts';
import { route } from '../../http/route.ts';
import type { MediaUrlSigner } from '../../http/signed-urls.ts';
import { viewerOf } from '../../http/viewer-cookie.ts';
import type { Video } from '../videos/video.ts';
import type { VideoPlaces } from '../videos/video-places.ts';
import { answerWithBytes } from './answer-with-bytes.ts';
import { chooseEncoding } from './choose-encoding.ts';
import { openVideo } from './video-file.ts';

export interface StreamServices {
  places: VideoPlaces;
  streams: OpenStreams;
  mediaUrls: MediaUrlSigner;
  /** Asked to look again when a file is not what it was. */
  scanner: { request(): unknown };
}

type MediaQuery = z.output<typeof streamQuerySchema>;

export function streamRoutes(app: FastifyInstance, services: StreamServices): void {
  route(app, streamVideo, { query: streamQuerySchema }, async ({ query, request, reply }) => {
    const video = await findPlayable(services, query.path);
    chooseEncoding(video, query.rendition, linesAllowed({ hd_streaming: false }), isSigned(services, request, video, query));
    const handle = await openScanned(services, video);
    try {
      return await answerWithBytes(services.streams, { request, reply, video, handle, piece: query.piece, version: query.version });
    } finally {
      await handle.close();
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
async function findPlayable({ places }: StreamServices, path: string): Promise<Video> {
  const video = await places.find(path);
  if (video?.isAvailable !== true) throw new NotFound('video');
  return video;
}

/** A file that is not the one that was scanned is not sent: nobody has looked at it yet. */
async function openScanned({ places, scanner }: StreamServices, video: Video): Promise<FileHandle> {
  const file = places.fileOf(video);
  if (file === null) throw new NotFound('video');
  const opened = await openVideo(video, file);
  if (opened.kind === 'opened') return opened.handle;
  scanner.request();
  throw opened.kind === 'gone' ? new NotFound('video') : new Unavailable('This video has just changed and is being looked at.');
}
