import type { Migration } from '../migration.ts';

/**
 * Titles and descriptions of videos, as their files and as people give them, when they were
 * recorded, and what people changed, so that it can be undone.
 */
export const videoDetails: Migration = {
  name: '0028-video-details',
  async up({ schema }, { big }) {
    for (const column of ['found_title', 'found_description', 'edited_title', 'edited_description'])
      await schema.alterTable('videos').addColumn(column, 'text').execute();
    await schema.alterTable('videos').addColumn('recorded_at', big).execute();
    await schema
      .createTable('video_detail_changes')
      .addColumn('change_number', 'integer', (column) => column.primaryKey())
      .addColumn('video_number', 'integer', (column) => column.notNull())
      .addColumn('old_title', 'text')
      .addColumn('old_description', 'text')
      .addColumn('new_title', 'text')
      .addColumn('new_description', 'text')
      .execute();
  },
};
