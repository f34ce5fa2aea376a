import type { Migration } from '../migration.ts';

/**
 * The previous names of files, so that the name index can drop them, and indexes for lists of jobs
 * by state or kind.
 */
export const wholeLists: Migration = {
  name: '0023-whole-lists',
  async up(transaction) {
    const { schema } = transaction;
    await schema.alterTable('unindexed_names').addColumn('was', 'text').execute();
    await schema.createIndex('jobs_state_id').on('jobs').columns(['state', 'id']).execute();
    await schema.createIndex('jobs_kind_id').on('jobs').columns(['kind', 'id']).execute();
  },
};
