import type { Migration } from '../migration.ts';

/** The queue of background jobs, and the posters that they make. */
export const jobs: Migration = {
  name: '0003-jobs',
  async up(transaction, { key, big }) {
    const { schema } = transaction;

    await schema
      .createTable('jobs')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('kind', key, (column) => column.notNull())
      .addColumn('subject', key, (column) => column.notNull())
      .addColumn('active_key', key, (column) => column.unique())
      .addColumn('state', key, (column) => column.notNull())
      .addColumn('lane', key, (column) => column.notNull())
      .addColumn('priority', 'integer', (column) => column.notNull())
      .addColumn('run_at', big, (column) => column.notNull())
      .addColumn('lease', key)
      .addColumn('lease_until', big)
      .addColumn('leased_by', 'text')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('attempts_max', 'integer', (column) => column.notNull())
      .addColumn('progress', 'integer', (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('video_number', 'integer', (column) => column.references('videos.number').onDelete('cascade'))
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('started_at', big)
      .addColumn('finished_at', big)
      .execute();
    // The order in which jobs are claimed.
    await schema.createIndex('jobs_claim').on('jobs').columns(['state', 'lane', 'priority', 'run_at', 'id']).execute();
    await schema.createIndex('jobs_state_finished').on('jobs').columns(['state', 'finished_at']).execute();
    await schema.createIndex('jobs_video').on('jobs').columns(['video_number']).execute();

    await schema
      .createTable('posters')
      .addColumn('video_number', 'integer', (column) =>
        column.primaryKey().references('videos.number').onDelete('cascade'),
      )
      .addColumn('size', big, (column) => column.notNull())
      .addColumn('modified_us', big, (column) => column.notNull())
      .addColumn('content', key)
      .addColumn('reason', 'text')
      .addColumn('made_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('posters_content').on('posters').columns(['content']).execute();
  },
};
