import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * A change can concern the details of many videos, as an import does, and a scan sees that the
 * texts beside a video have changed.
 */
export const moreDetails: Migration = {
  name: '0036-more-details',
  async up(transaction, { big }) {
    const { schema } = transaction;
    await schema.alterTable('videos').addColumn('texts_us', big).execute();

    // SQLite cannot replace a primary key, so the rows move to a new table of the same name.
    await schema.alterTable('video_detail_changes').renameTo('old_detail_changes').execute();
    await schema
      .createTable('video_detail_changes')
      .addColumn('change_number', 'integer', (column) => column.notNull())
      .addColumn('video_number', 'integer', (column) => column.notNull())
      .addColumn('old_title', 'text')
      .addColumn('old_description', 'text')
      .addColumn('new_title', 'text')
      .addColumn('new_description', 'text')
      .addPrimaryKeyConstraint('video_detail_changes_pair', ['change_number', 'video_number'])
      .execute();
    await sql`insert into video_detail_changes select * from old_detail_changes`.execute(transaction);
    await schema.dropTable('old_detail_changes').execute();

    // An export lists the videos that people gave texts.
    await schema
      .createIndex('videos_edited')
      .on('videos')
      .column('number')
      .where(sql<boolean>`(edited_title is not null or edited_description is not null)`)
      .execute();
  },
};
