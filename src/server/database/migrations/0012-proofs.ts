import type { Migration } from '../migration.ts';

/**
 * Proofs of identity: visits to providers by people without a password, tickets for linking, and
 * the address that a waiting TV asked from.
 */
export const proofs: Migration = {
  name: '0012-proofs',
  async up(transaction, { key, big }) {
    const { schema } = transaction;
    await schema.alterTable('sessions').addColumn('proven_at', big).execute();
    await schema.alterTable('device_sign_ins').addColumn('address', 'text').execute();
    await schema.alterTable('device_sign_ins').addColumn('asked_at', big).execute();
    await schema
      .createTable('link_tickets')
      .addColumn('ticket_hash', key, (column) => column.primaryKey())
      .addColumn('session_id', key, (column) => column.notNull().references('sessions.id').onDelete('cascade'))
      .addColumn('provider', key, (column) => column.notNull())
      .addColumn('expires_at', big, (column) => column.notNull())
      .execute();
    await schema.createIndex('link_tickets_expiry').on('link_tickets').columns(['expires_at']).execute();
  },
};
