import type { Selectable } from 'kysely';
import type { VideosTable } from '../../../database/tables/library-tables.ts';
import type { Executor } from '../../../database/tables.ts';

/** A row of `videos` that comes back under another number. */
export type StoredVideo = Omit<Selectable<VideosTable>, 'number'>;

/** @throws when it is not there */
export async function readStoredVideo(executor: Executor, number: number): Promise<StoredVideo> {
  const { number: _, ...video } = await executor
    .selectFrom('videos')
    .selectAll()
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
  return video;
}

/** Active or not. */
export async function listTagsOf(executor: Executor, number: number): Promise<{ number: number; id: string }[]> {
  return executor
    .selectFrom('video_tags')
    .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
    .select(['tags.number', 'tags.id'])
    .where('video_tags.video_number', '=', number)
    .orderBy('tags.number')
    .execute();
}

export async function readPosterContent(executor: Executor, number: number): Promise<string | null> {
  const row = await executor
    .selectFrom('posters')
    .select('content')
    .where('video_number', '=', number)
    .executeTakeFirst();
  return row?.content ?? null;
}

/** Its links, its poster's row and its jobs go with it; entries of histories lead nowhere. */
export async function deleteVideo(transaction: Executor, number: number): Promise<void> {
  await transaction.deleteFrom('videos').where('number', '=', number).execute();
}
