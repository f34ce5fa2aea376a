import type { FastifyReply, FastifyRequest } from 'fastify';
import { readPoster, readStoryboard } from '#contract/endpoints.ts';
import type { Storyboard } from '#contract/entities/video.ts';
import type { Database } from '../../database/connection.ts';
import { isNamed } from '../../http/pipeline/representation.ts';
import { answered } from '../../http/pipeline/route.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { RestrictedTags } from '../../id-sets/restricted-tags.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import type { StoredStoryboard } from './encoding-repository.ts';
import { encodingRepository } from './encoding-repository.ts';
import { posterRepository } from './poster-repository.ts';
import type { LibraryVideo } from './video.ts';

/** A picture derived from a video. */
export interface StoredStill {
  /** Identifies the picture by its content. */
  content: string;
  webp: Buffer;
  /** Some viewers may not see the video. */
  isForSome: boolean;
}

const forever = 'private, max-age=31536000, immutable';

/**
 * @param version the version in the URL: the picture may be cached without revalidation only if
 * this names it, and if nobody can lose the right to see it
 */
export function sendStill(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, webp, isForSome }: StoredStill,
  version: string | undefined,
): typeof answered {
  const etag = `"${content}"`;
  reply.headers({
    etag,
    'cache-control': version === content && !isForSome ? forever : 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
  else reply.type('image/webp').send(webp);
  return answered;
}

/** The person who asks for a picture. */
export interface StillAsker {
  /** Administrators also see hidden videos. */
  isAdmin: boolean;
  rank: number;
}

/**
 * Finds a video whose pictures a person may see, which are for some viewers only if it is; null for
 * other videos.
 */
export async function findSeen(
  { database, restrictedTags }: Pick<StoryboardDeps, 'database' | 'restrictedTags'>,
  videoId: string,
  { isAdmin, rank }: StillAsker,
): Promise<{ video: LibraryVideo; isForSome: boolean } | null> {
  const video = await posterRepository.findVideo(database.reader, videoId);
  if (video === null || (video.isHidden && !isAdmin)) return null;
  if (await restrictedTags.isWithheld(rank, video.number)) return null;
  return { video, isForSome: await restrictedTags.isWithheld(0, video.number) };
}

export interface StoryboardDeps {
  database: Database;
  idSets: Pick<IdSets, 'write'>;
  restrictedTags: RestrictedTags;
  derivedFiles: Pick<DerivedFiles, 'read'>;
}

/**
 * Reads the storyboard of a video. Returns null when there is none, or when the caller may not see
 * the video. A storyboard whose file is missing loses its row.
 */
export async function readSheet(
  { database, idSets, restrictedTags, derivedFiles }: StoryboardDeps,
  videoId: string,
  asker: StillAsker,
): Promise<StoredStill | null> {
  const seen = await findSeen({ database, restrictedTags }, videoId, asker);
  if (seen === null) return null;
  const { video, isForSome } = seen;
  const storyboard = (await encodingRepository.findStoryboards(database.reader, [video])).get(video.number);
  if (storyboard === undefined) return null;
  const { content } = storyboard;
  const webp = await derivedFiles.read(content, '.webp');
  if (webp !== null) return { content, webp, isForSome };
  await idSets.write(
    (transaction, changes) => encodingRepository.forgetStoryboard(transaction, changes, video.number, content),
    `storyboard of ${video.number}`,
  );
  return null;
}

/**
 * The URL of the poster: it changes with the image, so that the response may be cached for ever.
 */
export function posterUrl(videoId: string, content: string | null | undefined): string | null {
  return content === null || content === undefined
    ? null
    : `${readPoster.path.replace('{id}', encodeURIComponent(videoId))}?version=${content}`;
}

/** The URL changes with the storyboard, so that the response may be cached for ever. */
export function toStoryboardReply(videoId: string, storyboard: StoredStoryboard | null): Storyboard | null {
  if (storyboard === null) return null;
  const { content, columns, rows, tileWidth, tileHeight, intervalMs } = storyboard;
  return {
    url: `${readStoryboard.path.replace('{id}', encodeURIComponent(videoId))}?version=${content}`,
    columns,
    rows,
    tile_width: tileWidth,
    tile_height: tileHeight,
    interval_seconds: intervalMs / 1000,
  };
}
