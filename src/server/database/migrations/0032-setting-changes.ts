import type { Migration } from '../migration.ts';

/**
 * The table stores settings before and after each change, by the number of its line in the activity
 * log, so that the change can be undone.
 */
export const settingChanges: Migration = {
  name: '0032-setting-changes',
  async up({ schema }, { big }) {
    await schema
      .createTable('setting_changes')
      .addColumn('activity_number', 'integer', (column) => column.primaryKey())
      .addColumn('before', 'text', (column) => column.notNull())
      .addColumn('after', 'text', (column) => column.notNull())
      .addColumn('changed_at', big, (column) => column.notNull())
      .addColumn('undone_at', big)
      .execute();
    await schema.createIndex('setting_changes_changed').on('setting_changes').column('changed_at').execute();
  },
};
