import type { Migration } from '../migration.ts';

/** Alerts of the last day, and network speeds in place of the bytes in `bandwidth_stats`. */
export const alerts: Migration = {
  name: '0024-alerts',
  async up({ schema }, { key, big }) {
    await schema
      .createTable('performance_alerts')
      .addColumn('alarm', key, (column) => column.notNull())
      .addColumn('raised_at', big, (column) => column.notNull())
      .addColumn('seen_at', big, (column) => column.notNull())
      .addColumn('type', key, (column) => column.notNull())
      .addColumn('severity', key, (column) => column.notNull())
      .addColumn('title', 'text', (column) => column.notNull())
      .addColumn('message', 'text', (column) => column.notNull())
      .addColumn('quadrant', key)
      .addColumn('place', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('performance_alerts_raised', ['raised_at', 'alarm'])
      .execute();
    await schema
      .createTable('network_stats')
      .addColumn('slot_seconds', 'integer', (column) => column.notNull())
      .addColumn('starts_at', big, (column) => column.notNull())
      .addColumn('node', key, (column) => column.notNull())
      .addColumn('kbps', big, (column) => column.notNull())
      .addColumn('viewers', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('network_stats_slot', ['slot_seconds', 'starts_at', 'node'])
      .execute();
  },
};
