import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Files of uploads that came to nothing, by person: of each only the latest are kept. */
export const failedUploads: Migration = {
  name: '0019-failed-uploads',
  async up({ schema }) {
    await schema
      .createIndex('upload_files_failed')
      .on('upload_files')
      .columns(['user_id', 'id'])
      .where(sql<boolean>`state = 'failed'`)
      .execute();
  },
};
