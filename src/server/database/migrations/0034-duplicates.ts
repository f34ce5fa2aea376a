import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Videos that equal another one or look like it, and what they are compared by. */
export const duplicates: Migration = {
  name: '0034-duplicates',
  async up({ schema }, { key, big, flag }) {
    await schema
      .createTable('video_prints')
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('size', big, (column) => column.notNull())
      .addColumn('modified_us', big, (column) => column.notNull())
      .addColumn('content', key)
      .addColumn('poster', key)
      .addColumn('still', key)
      .execute();

    await schema
      .createTable('duplicates')
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('group_number', 'integer', (column) => column.notNull())
      .addColumn('search', key, (column) => column.notNull())
      .addColumn('kept', flag, (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.createIndex('duplicates_group').on('duplicates').column('group_number').execute();

    // Videos of one size of picture, by length: a search for duplicates reads this index alone.
    await schema
      .createIndex('videos_looks')
      .on('videos')
      .columns(['width', 'height', 'duration_ms', 'number'])
      .where(sql<boolean>`duration_ms is not null and width is not null and height is not null`)
      .execute();
  },
};

/** Archives hold the groups that an administrator keeps since then; they read them by this index. */
export const keptDuplicates: Migration = {
  name: '0041-kept-duplicates',
  async up({ schema }) {
    await schema
      .createIndex('duplicates_kept')
      .on('duplicates')
      .column('video_number')
      .where(sql<boolean>`kept = 1`)
      .execute();
  },
};
