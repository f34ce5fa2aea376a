import type { Migration } from '../migration.ts';

/** Adds the table of reports. A person has at most one report of a video. */
export const reports: Migration = {
  name: '0029-reports',
  async up({ schema }, { key, big, rowNumber }) {
    await schema
      .createTable('reports')
      .addColumn('number', 'integer', rowNumber)
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('holder', key, (column) => column.notNull())
      .addColumn('user_id', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('reason', key, (column) => column.notNull())
      .addColumn('text', 'text', (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('closed_at', big)
      .addUniqueConstraint('reports_video_holder', ['video_number', 'holder'])
      .execute();
    await schema.createIndex('reports_user').on('reports').column('user_id').execute();
    await schema.createIndex('reports_created').on('reports').column('created_at').execute();
  },
};
