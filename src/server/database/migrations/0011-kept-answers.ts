import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * The owner of each stored answer, so that nobody can fill the database with them. Refusals are no
 * longer stored.
 */
export const keptAnswers: Migration = {
  name: '0011-kept-answers',
  async up(transaction, { key }) {
    await sql`delete from repeatable_answers where status >= 400`.execute(transaction);
    await transaction.schema
      .alterTable('repeatable_answers')
      .addColumn('owner', key, (column) => column.notNull().defaultTo(''))
      .execute();
    await transaction.schema
      .createIndex('repeatable_answers_owner')
      .on('repeatable_answers')
      .columns(['owner', 'forgotten_at'])
      .execute();
  },
};
