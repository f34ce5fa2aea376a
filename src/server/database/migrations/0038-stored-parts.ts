import type { Migration } from '../migration.ts';

/** A store takes a file in parts, and does not say by what sum it knows them. */
export const storedParts: Migration = {
  name: '0038-stored-parts',
  async up({ schema }, { key, big }) {
    await schema
      .createTable('upload_parts')
      .addColumn('file_id', key, (column) => column.notNull().references('upload_files.id').onDelete('cascade'))
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('etag', 'text', (column) => column.notNull())
      .addColumn('sum', 'text', (column) => column.notNull())
      .addColumn('bytes', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('upload_parts_number', ['file_id', 'number'])
      .execute();
    await schema.alterTable('upload_files').addColumn('multipart', 'text').execute();
    await schema.alterTable('upload_files').addColumn('tails', 'text').execute();
    await schema.alterTable('videos').addColumn('parts_sum', 'text').execute();
  },
};
