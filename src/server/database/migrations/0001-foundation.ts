import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Secrets, settings, revisions; the library with its videos; tags. */
export const foundation: Migration = {
  name: '0001-foundation',
  async up(transaction, dialect) {
    const { key, big, flag } = dialect;
    const { schema } = transaction;

    await schema
      .createTable('secrets')
      .addColumn('name', key, (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .execute();

    await schema
      .createTable('settings')
      .addColumn('name', key, (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .addColumn('updated_at', big, (column) => column.notNull())
      .execute();

    await schema
      .createTable('revisions')
      .addColumn('name', key, (column) => column.primaryKey())
      .addColumn('value', big, (column) => column.notNull())
      .execute();
    await sql`insert into revisions (name, value) values ('profile', 1), ('tags', 1), ('config', 1)`.execute(
      transaction,
    );

    await schema
      .createTable('library_roots')
      .addColumn('number', 'integer', dialect.rowNumber)
      .addColumn('name', key, (column) => column.notNull().unique())
      .addColumn('folder', key, (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('active', flag, (column) => column.notNull())
      .addColumn('missing_since', big)
      .addColumn('scanned_at', big)
      .addColumn('created_at', big, (column) => column.notNull())
      .execute();

    await schema
      .createTable('videos')
      .addColumn('number', 'integer', dialect.rowNumber)
      .addColumn('id', key, (column) => column.notNull().unique())
      .addColumn('root_number', 'integer', (column) => column.notNull().references('library_roots.number'))
      .addColumn('path', key, (column) => column.notNull())
      .addColumn('filename', 'text', (column) => column.notNull())
      .addColumn('size', big, (column) => column.notNull())
      .addColumn('modified_us', big, (column) => column.notNull())
      .addColumn('container', 'text')
      .addColumn('video_codec', 'text')
      .addColumn('audio_codec', 'text')
      .addColumn('duration_ms', big)
      .addColumn('width', 'integer')
      .addColumn('height', 'integer')
      .addColumn('reason', 'text')
      .addColumn('missing_since', big)
      .addColumn('available', flag, (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addUniqueConstraint('videos_root_path', ['root_number', 'path'])
      .execute();
    await schema.createIndex('videos_available_number').on('videos').columns(['available', 'number']).execute();
    await schema.createIndex('videos_root_number').on('videos').columns(['root_number', 'number']).execute();

    await schema
      .createTable('tags')
      .addColumn('number', 'integer', dialect.rowNumber)
      .addColumn('id', key, (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('name_key', key, (column) => column.notNull())
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('color', 'text', (column) => column.notNull())
      .addColumn('active', flag, (column) => column.notNull())
      .addColumn('root_number', 'integer', (column) => column.references('library_roots.number'))
      .addColumn('created_at', big, (column) => column.notNull())
      .execute();
    await sql`create unique index tags_active_name on tags (name_key) where active = 1`.execute(transaction);

    await schema
      .createTable('video_tags')
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('tag_number', 'integer', (column) => column.notNull().references('tags.number').onDelete('cascade'))
      .addPrimaryKeyConstraint('video_tags_pair', ['video_number', 'tag_number'])
      .execute();
    await schema.createIndex('video_tags_tag').on('video_tags').columns(['tag_number', 'video_number']).execute();
  },
};
