import type { Database } from '../../database/connection.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import { findVideoById } from './poster-repository.ts';
import type { Still } from './send-still.ts';
import { findStoryboards, forgetStoryboard } from './storyboard-repository.ts';

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
