import type { CreateTableBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/** The playback needs of a file, and the derived files that every player can play. */
export const encodings: Migration = {
  name: '0020-encodings',
  async up({ schema }, dialect) {
    const { key, big } = dialect;
    await schema.alterTable('videos').addColumn('bit_depth', 'integer').execute();
    await schema.alterTable('videos').addColumn('chroma', key).execute();
    for (const column of ['needs', 'header_version'])
      await schema
        .alterTable('videos')
        .addColumn(column, 'integer', (added) => added.notNull().defaultTo(0))
        .execute();

    // Partial index: only the few videos that need a special decoder have an entry.
    await schema
      .createIndex('videos_needs')
      .on('videos')
      .columns(['number', 'needs'])
      .where(sql<boolean>`needs <> 0`)
      .execute();

    await ofFile(schema.createTable('encodings'), dialect)
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('rendition', key, (column) => column.notNull())
      .addColumn('content', key, (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addColumn('width', 'integer', (column) => column.notNull())
      .addColumn('height', 'integer', (column) => column.notNull())
      .addColumn('made_at', big, (column) => column.notNull())
      .addColumn('used_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('encodings_rendition', ['video_number', 'rendition'])
      .execute();
    await schema.createIndex('encodings_content').on('encodings').columns(['content']).execute();
    await schema.createIndex('encodings_used').on('encodings').columns(['used_at']).execute();

    await ofFile(schema.createTable('storyboards'), dialect)
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('content', key, (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addColumn('columns', 'integer', (column) => column.notNull())
      .addColumn('rows', 'integer', (column) => column.notNull())
      .addColumn('tile_width', 'integer', (column) => column.notNull())
      .addColumn('tile_height', 'integer', (column) => column.notNull())
      .addColumn('interval_ms', 'integer', (column) => column.notNull())
      .addColumn('made_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('storyboards_content').on('storyboards').columns(['content']).execute();

    await ofFile(schema.createTable('subtitles'), dialect)
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('track', 'integer', (column) => column.notNull())
      .addColumn('language', 'text')
      .addColumn('label', 'text', (column) => column.notNull())
      .addColumn('content', key, (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('subtitles_track', ['video_number', 'track'])
      .execute();
    await schema.createIndex('subtitles_content').on('subtitles').columns(['content']).execute();

    await ofFile(schema.createTable('media_findings'), dialect)
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('failure', 'text')
      .addColumn('notes', 'text', (column) => column.notNull())
      .addColumn('found_at', big, (column) => column.notNull())
      .execute();

    await schema
      .createTable('encoding_demand')
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('picks', big, (column) => column.notNull())
      .addColumn('waited_at', big)
      .addColumn('counted_at', big, (column) => column.notNull())
      .execute();
  },
};

/** Adds size and time stamp of the file that a row was made from. */
function ofFile(table: CreateTableBuilder<string>, { big }: Dialect): CreateTableBuilder<string> {
  return table
    .addColumn('size', big, (column) => column.notNull())
    .addColumn('modified_us', big, (column) => column.notNull());
}
