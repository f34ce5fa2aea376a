import type { Executor } from '../../database/tables.ts';

/** Where the videos are that people put a tag on, by row number, after one. */
export async function listLinkedPlaces(
  executor: Executor,
  tagNumber: number,
  afterNumber: number,
  limit: number,
): Promise<{ number: number; rootNumber: number; path: string }[]> {
  return executor
    .selectFrom('video_tags')
    .innerJoin('videos', 'videos.number', 'video_tags.video_number')
    .select(['videos.number', 'videos.root_number as rootNumber', 'videos.path'])
    .where('video_tags.tag_number', '=', tagNumber)
    .where('video_tags.by_folder', '=', 0)
    .where('video_tags.video_number', '>', afterNumber)
    .orderBy('video_tags.video_number')
    .limit(limit)
    .execute();
}
