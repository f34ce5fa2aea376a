import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Migration } from '../migration.ts';

/**
 * The log of changes of people, by which nodes forget what they know of them. The database itself
 * writes it, so that no statement can forget to.
 */
export const peopleLog: Migration = {
  name: '0042-people-log',
  async up(transaction, dialect) {
    await transaction.schema
      .createTable('people_changes')
      .addColumn('number', dialect.big, dialect.rowNumber)
      // The transaction, on PostgreSQL, where numbers do not become visible in their order.
      .addColumn('mark', dialect.big)
      .addColumn('user_id', dialect.key, (column) => column.notNull())
      .addColumn('changed_at', dialect.big, (column) => column.notNull())
      .execute();
    await transaction.schema.createIndex('people_changes_mark').on('people_changes').column('mark').execute();
    for (const statement of triggers[dialect.kind]) await statement.execute(transaction);
  },
};

/** The columns that decide what a caller may do, and the revision that clients compare. */
const hasChanged = `old.tier is distinct from new.tier
  or old.tier_expires_at is distinct from new.tier_expires_at or old.revision <> new.revision`;

const noteInSqlite = (userId: string) =>
  `begin insert into people_changes (user_id, changed_at)
    values (${userId}, cast(unixepoch('subsec') * 1000 as integer)); end`;

const triggers: Record<Dialect['kind'], readonly RawBuilder<unknown>[]> = {
  sqlite: [
    sql.raw(`create trigger users_changed after update on users when ${hasChanged} ${noteInSqlite('old.id')}`),
    sql.raw(`create trigger users_deleted after delete on users ${noteInSqlite('old.id')}`),
    sql.raw(`create trigger sessions_deleted after delete on sessions ${noteInSqlite('old.user_id')}`),
  ],
  postgres: [
    sql.raw(`create function note_person() returns trigger language plpgsql as $$
      begin
        insert into people_changes (mark, user_id, changed_at) values (
          pg_current_xact_id()::text::bigint,
          to_jsonb(old) ->> tg_argv[0],
          floor(extract(epoch from clock_timestamp()) * 1000)
        );
        return null;
      end $$`),
    sql.raw(`create trigger users_changed after update on users for each row
      when (${hasChanged}) execute function note_person('id')`),
    sql.raw(`create trigger users_deleted after delete on users for each row
      execute function note_person('id')`),
    sql.raw(`create trigger sessions_deleted after delete on sessions for each row
      execute function note_person('user_id')`),
  ],
};
