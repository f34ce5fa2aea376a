import type { Migration } from '../migration.ts';

/** The index of file names forgets the names that files had before; lists of jobs, by state or by kind, are read in an index. */
export const wholeLists: Migration = {
  name: '0023-whole-lists',
  async up(transaction) {
    const { schema } = transaction;
    await schema.alterTable('unindexed_names').addColumn('was', 'text').execute();
    await schema.createIndex('jobs_state_id').on('jobs').columns(['state', 'id']).execute();
    await schema.createIndex('jobs_kind_id').on('jobs').columns(['kind', 'id']).execute();
  },
};
