import type { Migration } from '../migration.ts';

/** Screens in venue mode, as their latest reports describe them. */
export const venues: Migration = {
  name: '0027-venues',
  async up({ schema }, { key, big, flag }) {
    await schema
      .createTable('venues')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('playing', 'integer', (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('is_signed_out', flag, (column) => column.notNull())
      .addColumn('since', big, (column) => column.notNull())
      .addColumn('last_seen', big, (column) => column.notNull())
      .addColumn('closes_at', big)
      .addColumn('opens_at', big)
      .execute();
  },
};
