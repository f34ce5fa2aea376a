import type { Executor } from '../../database/tables.ts';
import type { Video } from './video.ts';

type FileOfVideo = Pick<Video, 'number' | 'size' | 'modifiedUs'>;

/** A text track out of the present file of a video. */
export interface StoredSubtitles {
  /** Its place among the subtitles of the file. */
  track: number;
  /** A tag of BCP 47; null: the file does not say. */
  language: string | null;
  label: string;
  /** Names the WebVTT by its content. */
  content: string;
  bytes: number;
}

/** By their place in the file. */
export async function findSubtitles(executor: Executor, video: FileOfVideo): Promise<StoredSubtitles[]> {
  return executor
    .selectFrom('subtitles')
    .select(['track', 'language', 'label', 'content', 'bytes'])
    .where('video_number', '=', video.number)
    .where('size', '=', video.size)
    .where('modified_us', '=', video.modifiedUs)
    .orderBy('track')
    .execute();
}

/**
 * Takes the place of all that was stored of the video, of another file as well.
 * @returns the contents that this video does not use any more; another one may
 */
export async function putSubtitles(
  executor: Executor,
  video: FileOfVideo,
  tracks: readonly StoredSubtitles[],
): Promise<string[]> {
  const before = await executor
    .deleteFrom('subtitles')
    .where('video_number', '=', video.number)
    .returning('content')
    .execute();
  if (tracks.length > 0)
    await executor
      .insertInto('subtitles')
      .values(
        tracks.map((track) => ({
          ...track,
          video_number: video.number,
          size: video.size,
          modified_us: video.modifiedUs,
        })),
      )
      .execute();
  const used = new Set(tracks.map(({ content }) => content));
  return [...new Set(before.map(({ content }) => content))].filter((content) => !used.has(content));
}

/** What was noted about the present file: a JSON array; null while nobody has looked inside. */
export async function findMediaNotes(executor: Executor, video: FileOfVideo): Promise<string | null> {
  const row = await executor
    .selectFrom('media_findings')
    .select('notes')
    .where('video_number', '=', video.number)
    .where('size', '=', video.size)
    .where('modified_us', '=', video.modifiedUs)
    .executeTakeFirst();
  return row?.notes ?? null;
}
