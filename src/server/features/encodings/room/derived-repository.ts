import { sql } from 'kysely';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { Video } from '../../videos/video.ts';

type FileOfVideo = Pick<Video, 'number' | 'size' | 'modifiedUs'>;

/** Their rows say of which file they were made. */
const ofFile = ['encodings', 'storyboards', 'subtitles'] as const;
const tables = [...ofFile, 'subtitles_beside'] as const;

/** Bytes of all that was derived; equal content counts once. */
export async function sumDerivedBytes(executor: Executor): Promise<number> {
  const { rows } = await sql<{ bytes: number | null }>`
    select sum(bytes) as bytes from (
      select content, max(bytes) as bytes from encodings group by content
      union all select content, max(bytes) as bytes from storyboards group by content
      union all select content, max(bytes) as bytes from subtitles group by content
      union all select content, max(bytes) as bytes from subtitles_beside group by content
    ) as contents`.execute(executor);
  return Number(rows[0]?.bytes ?? 0);
}

/** Which of some contents are in use. */
export async function findUsedContents(executor: Executor, contents: readonly string[]): Promise<Set<string>> {
  const used = new Set<string>();
  for (let from = 0; from < contents.length; from += inListLength) {
    const slice = contents.slice(from, from + inListLength);
    for (const table of tables) {
      const rows = await executor.selectFrom(table).select('content').where('content', 'in', slice).execute();
      for (const row of rows) used.add(row.content);
    }
  }
  return used;
}

/** Whether the video is there, and its file is still that one. */
export async function isPresent(executor: Executor, { number, size, modifiedUs }: FileOfVideo): Promise<boolean> {
  const row = await executor
    .selectFrom('videos')
    .select('number')
    .where('number', '=', number)
    .where('size', '=', size)
    .where('modified_us', '=', modifiedUs)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Forgets what was derived of files that their videos no longer have, a piece at a time.
 * @returns the videos that lost an encoding by it, and whether that was all
 */
export async function forgetOutdated(
  executor: Executor,
  limit: number,
): Promise<{ videoNumbers: number[]; isAll: boolean }> {
  const lost = new Set<number>();
  let deleted = 0;
  for (const table of [...ofFile, 'media_findings'] as const) {
    const outdated = executor
      .selectFrom(table)
      .innerJoin('videos', 'videos.number', `${table}.video_number`)
      .select(`${table}.video_number`)
      .distinct()
      .where((where) =>
        where.or([
          where('videos.size', '!=', where.ref(`${table}.size`)),
          where('videos.modified_us', '!=', where.ref(`${table}.modified_us`)),
        ]),
      )
      .limit(limit);
    const numbers = (await outdated.execute()).map((row) => row.video_number);
    if (numbers.length === 0) continue;
    await executor.deleteFrom(table).where('video_number', 'in', numbers).where(isOutdated(table)).execute();
    deleted += numbers.length;
    if (table === 'encodings') for (const number of numbers) lost.add(number);
  }
  return { videoNumbers: [...lost], isAll: deleted === 0 };
}

function isOutdated(table: string) {
  return sql<boolean>`not exists (
    select 1 from videos where videos.number = ${sql.ref(`${table}.video_number`)}
      and videos.size = ${sql.ref(`${table}.size`)} and videos.modified_us = ${sql.ref(`${table}.modified_us`)}
  )`;
}
