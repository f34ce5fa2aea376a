import type { Migration } from '../migration.ts';

/** What a file is recognized by when it was moved or renamed. */
export const library: Migration = {
  name: '0004-library',
  async up(transaction, { key, big }) {
    const { schema } = transaction;
    await schema.alterTable('videos').addColumn('inode', big).execute();
    await schema.alterTable('videos').addColumn('fingerprint', key).execute();
    await schema.createIndex('videos_fingerprint').on('videos').columns(['fingerprint']).execute();
  },
};
