import type { Migration } from '../migration.ts';

/** Playback and sending statistics per slot of time, without anything of a single viewer. */
export const performance: Migration = {
  name: '0018-performance',
  async up(transaction, { key, big }) {
    const { schema } = transaction;
    await schema
      .createTable('playback_stats')
      .addColumn('slot_seconds', 'integer', (column) => column.notNull())
      .addColumn('starts_at', big, (column) => column.notNull())
      .addColumn('quadrant', key, (column) => column.notNull())
      .addColumn('node', key, (column) => column.notNull())
      .addColumn('samples', big, (column) => column.notNull())
      .addColumn('sessions', big, (column) => column.notNull())
      .addColumn('new_sessions', big, (column) => column.notNull())
      .addColumn('dropped_frames', big, (column) => column.notNull())
      .addColumn('total_frames', big, (column) => column.notNull())
      .addColumn('buffer_ms', big, (column) => column.notNull())
      .addColumn('stalls', big, (column) => column.notNull())
      .addColumn('quality_adjustments', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('playback_stats_slot', ['slot_seconds', 'starts_at', 'quadrant', 'node'])
      .execute();
    await schema
      .createTable('bandwidth_stats')
      .addColumn('slot_seconds', 'integer', (column) => column.notNull())
      .addColumn('starts_at', big, (column) => column.notNull())
      .addColumn('node', key, (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addColumn('viewer_ms', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('bandwidth_stats_slot', ['slot_seconds', 'starts_at', 'node'])
      .execute();
    await schema
      .createTable('video_stats')
      .addColumn('slot_seconds', 'integer', (column) => column.notNull())
      .addColumn('starts_at', big, (column) => column.notNull())
      .addColumn('video_id', key, (column) => column.notNull())
      .addColumn('node', key, (column) => column.notNull())
      .addColumn('stalls', big, (column) => column.notNull())
      .addColumn('failures', big, (column) => column.notNull())
      .addColumn('played_ms', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('video_stats_slot', ['slot_seconds', 'starts_at', 'video_id', 'node'])
      .execute();
  },
};
