import type { Migration } from '../migration.ts';

/** Subtitles are stored as they are served, including those of files next to a video. */
export const servedSubtitles: Migration = {
  name: '0022-served-subtitles',
  async up({ schema }, { key, big }) {
    // Existing rows hold subtitles as ffmpeg wrote them.
    await schema
      .alterTable('subtitles')
      .addColumn('is_converted', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable('subtitles_beside')
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('version', key, (column) => column.notNull())
      .addColumn('content', key, (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('subtitles_beside_version', ['video_number', 'version'])
      .execute();
    await schema.createIndex('subtitles_beside_content').on('subtitles_beside').columns(['content']).execute();
  },
};
