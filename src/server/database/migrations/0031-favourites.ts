import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * The favourites of people, the playing time of videos, and what the sets of lengths and shapes are
 * compared with.
 */
export const favourites: Migration = {
  name: '0031-favourites',
  async up({ schema }, { key, big }) {
    await schema
      .createTable('favourites')
      .addColumn('user_id', key, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('video_id', key, (column) => column.notNull())
      .addColumn('added_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('favourites_pair', ['user_id', 'video_id'])
      .execute();
    await schema
      .alterTable('users')
      .addColumn('favourites_seq', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();

    await schema
      .createTable('video_plays')
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('played_ms', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('video_plays_played').on('video_plays').columns(['played_ms', 'video_number']).execute();

    // Partial indexes, so that a set is counted and listed without reading the rows of others.
    const conditions = {
      short: sql<boolean>`duration_ms < 60000`,
      medium: sql<boolean>`duration_ms >= 60000 and duration_ms <= 1200000`,
      long: sql<boolean>`duration_ms > 1200000`,
      upright: sql<boolean>`height > width`,
      wide: sql<boolean>`width > height`,
    };
    for (const [name, condition] of Object.entries(conditions))
      await schema.createIndex(`videos_${name}`).on('videos').columns(['number']).where(condition).execute();
  },
};
