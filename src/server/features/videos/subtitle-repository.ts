import type { Insertable } from 'kysely';
import { z } from 'zod';
import type { Executor, Tables } from '../../database/tables.ts';
import type { StoredContent } from '../../storage/derived-files.ts';
import type { FileOfVideo } from './video.ts';

/** A text track extracted from the present file of a video. */
interface StoredSubtitles {
  /** Its index among the subtitle tracks of the file. */
  track: number;
  /** The language that the file declares, or null. */
  language: string | null;
  label: string;
  /** Identifies the WebVTT by its content. */
  content: string;
  /** Whether the text is converted and may be served. */
  isConverted: boolean;
}

const audioTrackSchema = z.object({
  kind: z.literal('audio-track'),
  track: z.int().nonnegative(),
  language: z.string().nullable(),
  label: z.string(),
  isDefault: z.boolean(),
});

/** Returns the audio tracks that can be chosen, from the notes of an inspection. */
export function readAudioTracks(notes: string): z.infer<typeof audioTrackSchema>[] {
  return z
    .array(z.unknown())
    .parse(JSON.parse(notes))
    .flatMap((note) => audioTrackSchema.safeParse(note).data ?? []);
}

/** Subtitles of videos, extracted or beside their files. */
export const subtitleRepository = {
  /** Lists the tracks in the order of the file. */
  async find(executor: Executor, video: FileOfVideo): Promise<StoredSubtitles[]> {
    const rows = await executor
      .selectFrom('subtitles')
      .select(['track', 'language', 'label', 'content', 'is_converted'])
      .where('video_number', '=', video.number)
      .where('size', '=', video.size)
      .where('modified_us', '=', video.modifiedUs)
      .orderBy('track')
      .execute();
    return rows.map(({ is_converted, ...row }) => ({ ...row, isConverted: is_converted === 1 }));
  },

  /** Replaces the text that ffmpeg wrote by the converted one. */
  async replace(executor: Executor, videoNumber: number, content: string, served: StoredContent): Promise<void> {
    await executor
      .updateTable('subtitles')
      .set({ ...served, is_converted: 1 })
      .where('video_number', '=', videoNumber)
      .where('content', '=', content)
      .execute();
  },

  /**
   * Deletes tracks whose text is missing, and the findings with them, so that the next request
   * inspects the file again. A stored failure remains.
   */
  async delete(executor: Executor, videoNumber: number, content: string): Promise<void> {
    const deleted = await executor
      .deleteFrom('subtitles')
      .where('video_number', '=', videoNumber)
      .where('content', '=', content)
      .returning('track')
      .execute();
    if (deleted.length === 0) return;
    await executor
      .deleteFrom('media_findings')
      .where('video_number', '=', videoNumber)
      .where('failure', 'is', null)
      .execute();
  },

  /** The served content of subtitle files beside a video, by the version of the file. */
  async findBeside(executor: Executor, videoNumber: number): Promise<Map<string, string>> {
    const rows = await executor
      .selectFrom('subtitles_beside')
      .select(['version', 'content'])
      .where('video_number', '=', videoNumber)
      .execute();
    return new Map(rows.map(({ version, content }) => [version, content]));
  },

  /** Stores nothing for a video that no longer exists. */
  async putBeside(executor: Executor, row: Insertable<Tables['subtitles_beside']>): Promise<void> {
    const video = executor.selectFrom('videos').select('number').where('number', '=', row.video_number);
    if ((await video.executeTakeFirst()) === undefined) return;
    await executor
      .insertInto('subtitles_beside')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns(['video_number', 'version']).doUpdateSet({ content: row.content, bytes: row.bytes }),
      )
      .execute();
  },

  async deleteBeside(executor: Executor, videoNumber: number, version: string): Promise<void> {
    await executor
      .deleteFrom('subtitles_beside')
      .where('video_number', '=', videoNumber)
      .where('version', '=', version)
      .execute();
  },

  /** The notes of the inspection of the present file, a JSON array; null before an inspection. */
  async findNotes(executor: Executor, video: FileOfVideo): Promise<string | null> {
    const row = await executor
      .selectFrom('media_findings')
      .select('notes')
      .where('video_number', '=', video.number)
      .where('size', '=', video.size)
      .where('modified_us', '=', video.modifiedUs)
      .executeTakeFirst();
    return row?.notes ?? null;
  },
};
