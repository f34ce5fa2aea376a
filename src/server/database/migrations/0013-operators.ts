import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Invitations, videos hidden by administrators, indexes for their lists, and the activity log. */
export const operators: Migration = {
  name: '0013-operators',
  async up(transaction, { key, big, rowNumber }) {
    const { schema } = transaction;
    await schema
      .createTable('invitations')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('token_hash', key, (column) => column.notNull().unique())
      .addColumn('tier', 'text', (column) => column.notNull())
      .addColumn('created_by', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('expires_at', big, (column) => column.notNull())
      .addColumn('used_at', big)
      .addColumn('used_by', key, (column) => column.references('users.id').onDelete('set null'))
      .addColumn('revoked_at', big)
      .execute();
    await schema.createIndex('invitations_expiry').on('invitations').columns(['expires_at']).execute();
    await schema.alterTable('provider_visits').addColumn('invitation_hash', key).execute();

    await schema.alterTable('videos').addColumn('hidden_at', big).execute();
    await schema.alterTable('videos').addColumn('hidden_by', key).execute();
    // Partial index: only hidden videos have an entry, so a scan that stores many files never adds
    // to it.
    await schema
      .createIndex('videos_hidden')
      .on('videos')
      .columns(['hidden_at', 'number'])
      .where('hidden_at', 'is not', null)
      .execute();
    // Partial index: only existing videos that cannot be played have an entry.
    await schema
      .createIndex('videos_unplayable')
      .on('videos')
      .columns(['root_number', 'path'])
      .where(sql<boolean>`reason is not null and missing_since is null`)
      .execute();
    await schema.createIndex('jobs_kind').on('jobs').columns(['kind', 'state', 'id']).execute();

    await schema
      .createTable('activities')
      .addColumn('number', 'integer', rowNumber)
      .addColumn('at', big, (column) => column.notNull())
      .addColumn('actor', 'text')
      .addColumn('kind', key, (column) => column.notNull())
      .addColumn('subject', 'text')
      .addColumn('detail', 'text')
      .execute();
    await schema.createIndex('activities_at').on('activities').columns(['at']).execute();
  },
};
