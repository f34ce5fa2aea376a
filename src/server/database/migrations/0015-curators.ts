import type { Migration } from '../migration.ts';

/** Changes of tags that can be undone, other names of tags, and channels that come from folders. */
export const curators: Migration = {
  name: '0015-curators',
  async up(transaction, { key, big, flag, rowNumber }) {
    const { schema } = transaction;
    // 1: the link came with the video's folder, and does not count as tagged.
    await schema
      .alterTable('video_tags')
      .addColumn('by_folder', flag, (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.alterTable('tags').addColumn('merged_into', 'integer').execute();

    await schema
      .createTable('tag_aliases')
      .addColumn('name_key', key, (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('tag_number', 'integer', (column) => column.notNull().references('tags.number').onDelete('cascade'))
      .addColumn('created_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('tag_aliases_tag').on('tag_aliases').columns(['tag_number']).execute();

    await schema
      .createTable('tag_changes')
      .addColumn('number', 'integer', rowNumber)
      .addColumn('id', key, (column) => column.notNull().unique())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('subject', 'text', (column) => column.notNull())
      .addColumn('detail', 'text')
      .addColumn('made_by', 'text')
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('finished_at', big)
      .addColumn('tags', 'integer', (column) => column.notNull())
      .addColumn('links', 'integer', (column) => column.notNull())
      .addColumn('error', 'text')
      .execute();
    await schema.createIndex('tag_changes_created').on('tag_changes').columns(['created_at']).execute();
    await schema
      .createTable('tag_change_tags')
      .addColumn('change_number', 'integer', (column) =>
        column.notNull().references('tag_changes.number').onDelete('cascade'),
      )
      .addColumn('tag_number', 'integer', (column) => column.notNull().references('tags.number').onDelete('cascade'))
      .addPrimaryKeyConstraint('tag_change_tags_pair', ['change_number', 'tag_number'])
      .execute();
    await schema.createIndex('tag_change_tags_tag').on('tag_change_tags').columns(['tag_number']).execute();
    await schema
      .createTable('tag_change_links')
      .addColumn('change_number', 'integer', (column) => column.notNull())
      .addColumn('tag_number', 'integer', (column) => column.notNull())
      .addColumn('video_number', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('tag_change_links_place', ['change_number', 'tag_number', 'video_number'])
      .execute();

    await schema
      .createTable('folder_channels')
      .addColumn('number', 'integer', rowNumber)
      .addColumn('root_number', 'integer', (column) => column.notNull().references('library_roots.number'))
      .addColumn('folder', key, (column) => column.notNull())
      .addColumn('tag_number', 'integer', (column) => column.references('tags.number').onDelete('set null'))
      .addColumn('given_name', 'text')
      .addColumn('removed', flag, (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addUniqueConstraint('folder_channels_place', ['root_number', 'folder'])
      .execute();
    await schema.createIndex('folder_channels_tag').on('folder_channels').columns(['tag_number']).execute();
    await schema
      .createTable('removed_folder_links')
      .addColumn('video_number', 'integer', (column) =>
        column.notNull().references('videos.number').onDelete('cascade'),
      )
      .addColumn('folder_channel_number', 'integer', (column) =>
        column.notNull().references('folder_channels.number').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('removed_folder_links_pair', ['video_number', 'folder_channel_number'])
      .execute();
    await schema
      .createIndex('removed_folder_links_channel')
      .on('removed_folder_links')
      .columns(['folder_channel_number'])
      .execute();
  },
};
