import type { Insertable, Selectable } from 'kysely';
import type { Executor, Tables } from '../../database/tables.ts';

export type VenueRow = Selectable<Tables['venues']>;

/** Screens in venue mode. */
export const venueRepository = {
  list(executor: Executor): Promise<VenueRow[]> {
    return executor.selectFrom('venues').selectAll().orderBy('name').orderBy('id').execute();
  },

  async store(transaction: Executor, row: Insertable<Tables['venues']>): Promise<void> {
    const { id, ...facts } = row;
    await transaction
      .insertInto('venues')
      .values(row)
      .onConflict((conflict) => conflict.column('id').doUpdateSet(facts))
      .execute();
  },

  async delete(transaction: Executor, id: string): Promise<void> {
    await transaction.deleteFrom('venues').where('id', '=', id).execute();
  },

  async deleteOld(transaction: Executor, before: number): Promise<void> {
    await transaction.deleteFrom('venues').where('last_seen', '<', before).execute();
  },
};
