import type { Migration } from '../migration.ts';

/** Abandoned files of open sessions: they count as failed until their upload resumes. */
export const givenUpFiles: Migration = {
  name: '0025-given-up-files',
  async up(transaction, { flag }) {
    await transaction.schema
      .alterTable('upload_files')
      .addColumn('given_up', flag, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
