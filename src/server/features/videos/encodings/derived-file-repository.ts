import type { Executor } from '../../../database/tables.ts';
import type { DerivedFile } from '../../../storage/derived-files.ts';

const tables = [
  { table: 'encodings', extension: '.mp4' },
  { table: 'storyboards', extension: '.webp' },
  { table: 'subtitles', extension: '.vtt' },
  { table: 'subtitles_beside', extension: '.vtt' },
] as const;

/** All that was derived of a video, whichever file it had. */
export async function listDerivedFiles(executor: Executor, videoNumber: number): Promise<DerivedFile[]> {
  const files: DerivedFile[] = [];
  for (const { table, extension } of tables) {
    const rows = await executor
      .selectFrom(table)
      .select('content')
      .distinct()
      .where('video_number', '=', videoNumber)
      .execute();
    files.push(...rows.map(({ content }) => ({ content, extension })));
  }
  return files;
}
