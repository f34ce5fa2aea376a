import type { Migration } from '../migration.ts';

/** Upload sessions, and the files of each. */
export const uploads: Migration = {
  name: '0016-uploads',
  async up(transaction, { key, big, flag }) {
    const { schema } = transaction;
    await schema
      .createTable('upload_sessions')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('user_id', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('key_hash', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('tag_ids', 'text', (column) => column.notNull())
      .addColumn('needs_approval', flag, (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('active_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('upload_sessions_user').on('upload_sessions').columns(['user_id', 'state']).execute();
    await schema.createIndex('upload_sessions_active').on('upload_sessions').columns(['state', 'active_at']).execute();

    await schema
      .createTable('upload_files')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('session_id', key, (column) => column.notNull().references('upload_sessions.id').onDelete('cascade'))
      .addColumn('user_id', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('address', key, (column) => column.notNull().unique())
      .addColumn('filename', 'text', (column) => column.notNull())
      .addColumn('mime_type', 'text', (column) => column.notNull())
      .addColumn('size', big, (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('received', big, (column) => column.notNull())
      .addColumn('speed', big, (column) => column.notNull())
      .addColumn('durable', big, (column) => column.notNull())
      .addColumn('suspect', flag, (column) => column.notNull())
      .addColumn('error', 'text')
      .addColumn('video_number', 'integer', (column) => column.references('videos.number').onDelete('set null'))
      .addColumn('stored_bytes', big, (column) => column.notNull())
      .addColumn('lock_owner', 'text')
      .addColumn('lock_until', big, (column) => column.notNull())
      .addColumn('lock_wanted', flag, (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('completed_at', big)
      .execute();
    await schema.createIndex('upload_files_session').on('upload_files').columns(['session_id', 'position']).execute();
    await schema.createIndex('upload_files_user').on('upload_files').columns(['user_id', 'id']).execute();
    await schema.createIndex('upload_files_video').on('upload_files').columns(['video_number']).execute();
  },
};
