import type { Migration } from '../migration.ts';

/** Removed uploads that can be restored, and deleted entries of the upload history. */
export const removedUploads: Migration = {
  name: '0017-removed-uploads',
  async up(transaction, { key, big }) {
    const { schema } = transaction;
    await schema
      .createTable('removed_uploads')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('user_id', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('removed_by', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('filename', 'text', (column) => column.notNull())
      .addColumn('size', big, (column) => column.notNull())
      .addColumn('video', 'text', (column) => column.notNull())
      .addColumn('tag_ids', 'text', (column) => column.notNull())
      .addColumn('removed_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('removed_uploads_removed').on('removed_uploads').columns(['removed_at', 'id']).execute();

    await schema
      .alterTable('upload_files')
      .addColumn('removed_upload', key, (column) => column.references('removed_uploads.id').onDelete('set null'))
      .execute();
    await schema.alterTable('upload_files').addColumn('removed_at', big).execute();
    await schema.createIndex('upload_files_removed_upload').on('upload_files').columns(['removed_upload']).execute();
    // Partial index: only deleted entries are in it.
    await schema
      .createIndex('upload_files_removed')
      .on('upload_files')
      .columns(['removed_at'])
      .where('removed_at', 'is not', null)
      .execute();
  },
};
