import type { FastifyReply, FastifyRequest } from 'fastify';
import { readPoster, readStoryboard } from '#contract/endpoints.ts';
import type { Storyboard } from '#contract/entities/video.ts';
import type { Database } from '../../database/connection.ts';
import { isNamed } from '../../http/pipeline/representation.ts';
import { answered } from '../../http/pipeline/route.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import type { StoredStoryboard } from './encoding-repository.ts';
import { findStoryboards, forgetStoryboard } from './encoding-repository.ts';
import { findVideoById } from './poster-repository.ts';

/** A picture that was made of a video. */
export interface Still {
  /** Names it by its content. */
  content: string;
  webp: Buffer;
}

const forever = 'private, max-age=31536000, immutable';

/** @param version what the address names: only one that names this very picture may be kept without asking */
export function sendStill(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, webp }: Still,
  version: string | undefined,
): typeof answered {
  const etag = `"${content}"`;
  reply.headers({
    etag,
    'cache-control': version === content ? forever : 'private, no-cache',
    'x-content-type-options': 'nosniff',
  });
  if (isNamed(request.headers['if-none-match'], etag)) reply.code(304).send();
  else reply.type('image/webp').send(webp);
  return answered;
}

export interface StoryboardDeps {
  database: Database;
  derivedFiles: Pick<DerivedFiles, 'read'>;
}

/**
 * The sheet of stills of a video. Null without one, and for a hidden video unless whoever asks may see those. One whose
 * file is gone is on the list no more.
 */
export async function readSheet(
  { database, derivedFiles }: StoryboardDeps,
  videoId: string,
  seesHidden: boolean,
): Promise<Still | null> {
  const video = await findVideoById(database.reader, videoId);
  if (video === null || (video.isHidden && !seesHidden)) return null;
  const storyboard = (await findStoryboards(database.reader, [video])).get(video.number);
  if (storyboard === undefined) return null;
  const { content } = storyboard;
  const webp = await derivedFiles.read(content, '.webp');
  if (webp !== null) return { content, webp };
  await database.write((transaction) => forgetStoryboard(transaction, video.number, content));
  return null;
}

/** Where the poster is: another address as soon as it is another image, so that it may be kept for ever. */
export function posterUrl(videoId: string, content: string | null | undefined): string | null {
  return content === null || content === undefined
    ? null
    : `${readPoster.path.replace('{id}', encodeURIComponent(videoId))}?version=${content}`;
}

/** Another address as soon as it is another sheet, so that it may be kept for ever. */
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
