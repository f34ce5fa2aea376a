import type { Migration } from '../migration.ts';

/** The fingerprint by which a moved or renamed file is recognized. */
export const library: Migration = {
  name: '0004-library',
  async up(transaction, { key, big }) {
    const { schema } = transaction;
    await schema.alterTable('videos').addColumn('inode', big).execute();
    await schema.alterTable('videos').addColumn('fingerprint', key).execute();
    await schema.createIndex('videos_fingerprint').on('videos').columns(['fingerprint']).execute();
  },
};
