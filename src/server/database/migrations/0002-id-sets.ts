import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The sets of video numbers, the log of their changes, and the counter that numbers them. */
export const idSets: Migration = {
  name: '0002-id-sets',
  async up(transaction, { key, big, flag, bytes }) {
    const { schema } = transaction;

    await schema
      .createTable('id_sets')
      .addColumn('key', key, (column) => column.primaryKey())
      .addColumn('seq', big, (column) => column.notNull())
      .addColumn('cardinality', 'integer', (column) => column.notNull())
      .addColumn('bits', bytes, (column) => column.notNull())
      .execute();

    await schema
      .createTable('set_changes')
      .addColumn('seq', big, (column) => column.primaryKey())
      .addColumn('key', key, (column) => column.notNull())
      .addColumn('op', 'text', (column) => column.notNull())
      .addColumn('bits', bytes, (column) => column.notNull())
      .execute();

    await schema
      .createTable('set_counter')
      .addColumn('seq', big, (column) => column.notNull())
      .addColumn('kept_seq', big, (column) => column.notNull())
      .addColumn('built', flag, (column) => column.notNull())
      .execute();
    await sql`insert into set_counter (seq, kept_seq, built) values (0, 0, 0)`.execute(transaction);
  },
};
