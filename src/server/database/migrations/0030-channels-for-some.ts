import type { Migration } from '../migration.ts';

/** Adds for whom a channel is. Those that exist are for everybody. */
export const channelsForSome: Migration = {
  name: '0030-channels-for-some',
  async up({ schema }) {
    await schema
      .alterTable('tags')
      .addColumn('audience', 'text', (column) => column.notNull().defaultTo('anyone'))
      .execute();
  },
};
