import type { Database } from '#server/database/connection.ts';
import type { Folders } from '#server/folders.ts';
import { toWebVtt } from '#server/media/web-vtt.ts';
import { DerivedFiles } from '#server/storage/derived-files.ts';
import { DiskStorage } from '#server/storage/disk-storage.ts';

interface Site {
  database: Database;
  folders: Folders;
}

export interface InnerTrack {
  language: string | null;
  label: string;
  /** Of its only cue, in the first minute. */
  text: string;
}

/** Text tracks inside the present file of a video, as a job stores them; `isConverted: false`: as it once did. */
export async function storeSubtitles(
  { database, folders }: Site,
  videoId: string,
  tracks: InnerTrack[],
  { isConverted = true } = {},
) {
  const files = new DerivedFiles(new DiskStorage(folders.derived));
  const rows = await Promise.all(
    tracks.map(async ({ language, label, text }, track) => {
      const made = Buffer.from(`WEBVTT\n\n00:00.000 --> 01:00.000\n${text}\n`);
      const facts = await files.put(isConverted ? Buffer.from(toWebVtt(made)) : made, '.vtt');
      return { track, language, label, ...facts, is_converted: Number(isConverted) };
    }),
  );
  await database.write(async (transaction) => {
    const video = await transaction
      .selectFrom('videos')
      .select(['number as video_number', 'size', 'modified_us'])
      .where('id', '=', videoId)
      .executeTakeFirstOrThrow();
    await transaction.deleteFrom('subtitles').where('video_number', '=', video.video_number).execute();
    await transaction
      .insertInto('subtitles')
      .values(rows.map((row) => ({ ...video, ...row })))
      .execute();
  });
}

/** What a job found in the present file of a video. */
export async function storeNotes({ database }: Site, videoId: string, notes: readonly object[]): Promise<void> {
  await database.write(async (transaction) => {
    const video = await transaction
      .selectFrom('videos')
      .select(['number as video_number', 'size', 'modified_us'])
      .where('id', '=', videoId)
      .executeTakeFirstOrThrow();
    await transaction
      .insertInto('media_findings')
      .values({ ...video, failure: null, notes: JSON.stringify(notes), found_at: 1 })
      .execute();
  });
}
