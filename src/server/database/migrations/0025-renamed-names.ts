import type { Migration } from '../migration.ts';

/** The index of file names forgets the names that files had before; lists of jobs are read by their index. */
export const renamedNames: Migration = {
  name: '0025-renamed-names',
  async up(transaction) {
    await transaction.schema.alterTable('unindexed_names').addColumn('was', 'text').execute();
  },
};
