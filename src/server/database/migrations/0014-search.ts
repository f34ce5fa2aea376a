import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The search index of file names: their parts, and the names that are not indexed yet. */
export const search: Migration = {
  name: '0014-search',
  async up(transaction, { key, bytes, rowNumber }) {
    const { schema } = transaction;
    await schema
      .createTable('name_grams')
      .addColumn('gram', key, (column) => column.notNull())
      .addColumn('block', 'integer', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('bits', bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint('name_grams_place', ['gram', 'block'])
      .execute();
    await schema
      .createTable('unindexed_names')
      .addColumn('number', 'integer', rowNumber)
      .addColumn('video_number', 'integer', (column) => column.notNull())
      .execute();
    await sql`insert into unindexed_names (video_number) select number from videos order by number`.execute(
      transaction,
    );
  },
};
