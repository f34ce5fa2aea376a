import type { Executor } from '../../database/tables.ts';
import type { Video } from './video.ts';

type FileOfVideo = Pick<Video, 'number' | 'size' | 'modifiedUs'>;

/** A text track out of the present file of a video. */
export interface StoredSubtitles {
  /** Its place among the subtitles of the file. */
  track: number;
  /** As the file says it; null: it does not. */
  language: string | null;
  label: string;
  /** Names the WebVTT by its content. */
  content: string;
}

/** By their place in the file. */
export async function findSubtitles(executor: Executor, video: FileOfVideo): Promise<StoredSubtitles[]> {
  return executor
    .selectFrom('subtitles')
    .select(['track', 'language', 'label', 'content'])
    .where('video_number', '=', video.number)
    .where('size', '=', video.size)
    .where('modified_us', '=', video.modifiedUs)
    .orderBy('track')
    .execute();
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
