import type { Migration } from '../migration.ts';

/** A file in a store is known by its entity tag; on disks there is none. */
export const storeLibraries: Migration = {
  name: '0039-store-libraries',
  async up({ schema }) {
    await schema.alterTable('videos').addColumn('etag', 'text').execute();
  },
};
