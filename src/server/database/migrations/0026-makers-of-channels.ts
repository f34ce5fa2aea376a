import type { Migration } from '../migration.ts';

/**
 * The names of the persons who made and last edited a channel, as in `tag_changes`, and an index of
 * merged channels.
 */
export const makersOfChannels: Migration = {
  name: '0026-makers-of-channels',
  async up({ schema }) {
    await schema.alterTable('tags').addColumn('created_by', 'text').execute();
    await schema.alterTable('tags').addColumn('edited_by', 'text').execute();
    await schema.createIndex('tags_merged_into').on('tags').columns(['merged_into']).execute();
    await schema.createIndex('tags_created_by').on('tags').columns(['created_by', 'number']).execute();
    await schema.createIndex('tag_changes_made_by').on('tag_changes').columns(['made_by', 'number']).execute();
  },
};
