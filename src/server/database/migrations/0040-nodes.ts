import type { Migration } from '../migration.ts';

/** The servers of a site, and what one of them at a time does for all. */
export const nodes: Migration = {
  name: '0040-nodes',
  async up({ schema }, { key, big, flag }) {
    await schema
      .createTable('nodes')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('machine', key, (column) => column.notNull())
      .addColumn('process', key, (column) => column.notNull())
      .addColumn('role', key, (column) => column.notNull())
      .addColumn('version', 'text', (column) => column.notNull())
      .addColumn('state', key, (column) => column.notNull())
      .addColumn('drain', flag, (column) => column.notNull().defaultTo(0))
      .addColumn('files', key, (column) => column.notNull())
      .addColumn('storage', 'text', (column) => column.notNull())
      .addColumn('library', 'text')
      .addColumn('tls_local', flag, (column) => column.notNull())
      .addColumn('kinds', 'text', (column) => column.notNull())
      .addColumn('away', 'text', (column) => column.notNull())
      .addColumn('stalled_at', big)
      .addColumn('started_at', big, (column) => column.notNull())
      .addColumn('seen_at', big, (column) => column.notNull())
      .execute();
    await schema
      .createTable('leases')
      .addColumn('name', key, (column) => column.primaryKey())
      .addColumn('owner', key, (column) => column.notNull())
      .addColumn('until', big, (column) => column.notNull())
      .execute();
  },
};
