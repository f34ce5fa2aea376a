import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Indexes for finding removed uploads that were hidden by their fingerprint, and files of deleted
 * accounts by age.
 */
export const uploadRights: Migration = {
  name: '0021-upload-rights',
  async up(transaction, { key }) {
    const { schema } = transaction;
    await schema.alterTable('removed_uploads').addColumn('hidden_fingerprint', key).execute();
    await schema
      .createIndex('removed_uploads_hidden')
      .on('removed_uploads')
      .columns(['hidden_fingerprint', 'size'])
      .where('hidden_fingerprint', 'is not', null)
      .execute();
    await schema
      .createIndex('upload_files_ownerless')
      .on('upload_files')
      .columns(['created_at'])
      .where(sql<boolean>`user_id is null`)
      .execute();
    const { rows } = await sql<{ id: string; video: string }>`select id, video from removed_uploads`.execute(
      transaction,
    );
    for (const { id, video } of rows) {
      const { fingerprint, hidden_at } = JSON.parse(video) as Record<string, unknown>;
      if (typeof hidden_at !== 'number' || typeof fingerprint !== 'string') continue;
      await sql`update removed_uploads set hidden_fingerprint = ${fingerprint} where id = ${id}`.execute(transaction);
    }
  },
};
