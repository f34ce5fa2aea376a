import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * The logs of what accounts and browsers have watched, in the order of the screen, and the
 * places in that log where their rounds began.
 */
export const watched: Migration = {
  name: '0035-watched',
  async up({ schema }, { key, big, bytes }) {
    await schema
      .createTable('watched_owners')
      .addColumn('owner', key, (column) => column.primaryKey())
      .addColumn('user_id', key, (column) => column.references('users.id').onDelete('cascade'))
      .addColumn('log_id', key, (column) => column.notNull())
      .addColumn('entries', 'integer', (column) => column.notNull())
      .addColumn('last_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('watched_owners_user').on('watched_owners').column('user_id').execute();
    await schema
      .createIndex('watched_owners_browsers')
      .on('watched_owners')
      .column('last_at')
      .where(sql<boolean>`user_id is null`)
      .execute();

    await schema
      .createTable('watched_chunks')
      .addColumn('owner', key, (column) => column.notNull().references('watched_owners.owner').onDelete('cascade'))
      .addColumn('chunk', 'integer', (column) => column.notNull())
      .addColumn('numbers', bytes, (column) => column.notNull())
      .addColumn('minutes', bytes, (column) => column.notNull())
      .addColumn('last_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('watched_chunks_place', ['owner', 'chunk'])
      .execute();
    await schema.createIndex('watched_chunks_last').on('watched_chunks').column('last_at').execute();

    await schema
      .createTable('watched_rounds')
      .addColumn('owner', key, (column) => column.notNull().references('watched_owners.owner').onDelete('cascade'))
      .addColumn('selection', key, (column) => column.notNull())
      .addColumn('started_at_entry', 'integer', (column) => column.notNull())
      .addColumn('seen', bytes)
      .addColumn('seen_entries', 'integer', (column) => column.notNull())
      .addColumn('used_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('watched_rounds_pair', ['owner', 'selection'])
      .execute();
  },
};
