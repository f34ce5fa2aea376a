import type { Migration } from '../migration.ts';

/** Users, their sessions and identities, and the tables that protect accounts. */
export const accounts: Migration = {
  name: '0010-accounts',
  async up(transaction, { key, big, flag, bytes }) {
    const { schema } = transaction;

    await schema
      .createTable('users')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('username', 'text', (column) => column.notNull())
      .addColumn('username_key', key, (column) => column.notNull().unique())
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('email_key', key, (column) => column.notNull().unique())
      .addColumn('email_verified', flag, (column) => column.notNull())
      .addColumn('display_name', 'text')
      .addColumn('tier', key, (column) => column.notNull())
      .addColumn('tier_expires_at', big)
      .addColumn('password_hash', 'text')
      .addColumn('eula_version', 'text')
      .addColumn('settings', 'text', (column) => column.notNull())
      .addColumn('revision', big, (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('users_tier').on('users').columns(['tier', 'tier_expires_at']).execute();

    await schema
      .createTable('avatars')
      .addColumn('user_id', key, (column) => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('content', key, (column) => column.notNull())
      .addColumn('webp', bytes, (column) => column.notNull())
      .execute();

    await schema
      .createTable('sessions')
      .addColumn('id', key, (column) => column.primaryKey())
      .addColumn('user_id', key, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('generation', 'integer', (column) => column.notNull())
      .addColumn('rotated_at', big, (column) => column.notNull())
      .addColumn('expires_at', big, (column) => column.notNull())
      .addColumn('remembered', flag, (column) => column.notNull())
      .addColumn('device', 'text', (column) => column.notNull())
      .addColumn('created_at', big, (column) => column.notNull())
      .addColumn('last_used_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('sessions_user').on('sessions').columns(['user_id', 'last_used_at']).execute();
    await schema.createIndex('sessions_expiry').on('sessions').columns(['expires_at']).execute();

    await schema
      .createTable('identities')
      .addColumn('issuer', key, (column) => column.notNull())
      .addColumn('subject', key, (column) => column.notNull())
      .addColumn('provider', key, (column) => column.notNull())
      .addColumn('user_id', key, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('email', 'text')
      .addColumn('linked_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('identities_issuer_subject', ['issuer', 'subject'])
      .addUniqueConstraint('identities_user_provider', ['user_id', 'provider'])
      .execute();

    await schema
      .createTable('provider_visits')
      .addColumn('state_hash', key, (column) => column.primaryKey())
      .addColumn('browser_hash', key, (column) => column.notNull())
      .addColumn('provider', key, (column) => column.notNull())
      .addColumn('nonce', 'text', (column) => column.notNull())
      .addColumn('verifier', 'text', (column) => column.notNull())
      .addColumn('session_id', key, (column) => column.references('sessions.id').onDelete('cascade'))
      .addColumn('display', 'text', (column) => column.notNull())
      .addColumn('expires_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('provider_visits_expiry').on('provider_visits').columns(['expires_at']).execute();

    await schema
      .createTable('device_sign_ins')
      .addColumn('device_hash', key, (column) => column.primaryKey())
      .addColumn('user_code', key, (column) => column.notNull().unique())
      .addColumn('user_id', key, (column) => column.references('users.id').onDelete('cascade'))
      .addColumn('device', 'text', (column) => column.notNull())
      .addColumn('polled_at', big)
      .addColumn('expires_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('device_sign_ins_expiry').on('device_sign_ins').columns(['expires_at']).execute();

    await schema
      .createTable('known_devices')
      .addColumn('user_id', key, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('viewer_hash', key, (column) => column.notNull())
      .addColumn('used_at', big, (column) => column.notNull())
      .addPrimaryKeyConstraint('known_devices_pair', ['user_id', 'viewer_hash'])
      .execute();

    await schema
      .createTable('attempts')
      .addColumn('key', key, (column) => column.primaryKey())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addColumn('blocked_until', big, (column) => column.notNull())
      .addColumn('forgotten_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('attempts_expiry').on('attempts').columns(['forgotten_at']).execute();

    await schema
      .createTable('repeatable_answers')
      .addColumn('key', key, (column) => column.primaryKey())
      .addColumn('body_hash', 'text', (column) => column.notNull())
      .addColumn('status', 'integer')
      .addColumn('answer', 'text')
      .addColumn('forgotten_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('repeatable_answers_expiry').on('repeatable_answers').columns(['forgotten_at']).execute();
  },
};
