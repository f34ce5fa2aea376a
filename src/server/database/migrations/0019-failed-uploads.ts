import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** An index of failed upload files by person; only the latest of each person are kept. */
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
