import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Encodings with another audio track than the default one, as viewers have chosen them. */
export const audioEncodings: Migration = {
  name: '0037-audio-encodings',
  async up(transaction, { key, big }) {
    await transaction.schema
      .createTable('audio_encodings')
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('rendition', key, (column) => column.notNull())
      .addColumn('track', 'integer', (column) => column.notNull())
      .addColumn('language', 'text')
      .addColumn('size', big, (column) => column.notNull())
      .addColumn('modified_us', big, (column) => column.notNull())
      .addColumn('content', key, (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addColumn('width', 'integer', (column) => column.notNull())
      .addColumn('height', 'integer', (column) => column.notNull())
      .addColumn('made_at', big, (column) => column.notNull())
      .addColumn('used_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('audio_encodings_track', ['video_number', 'track', 'rendition'])
      .execute();
    await transaction.schema
      .createIndex('audio_encodings_content')
      .on('audio_encodings')
      .columns(['content'])
      .execute();
    // These findings do not say which audio tracks there are: their files are inspected again.
    await sql`delete from media_findings where failure is null and notes like '%"audio"%'`.execute(transaction);
  },
};
