import type { Transaction } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database, WritableDatabase } from './connection.ts';
import type { Dialect } from './dialect.ts';
import type { Migration } from './migration.ts';
import { migrations as released } from './migrations.ts';
import type { Tables } from './tables.ts';

/** The database was last used by a newer version of the product. */
export class DatabaseIsNewer extends Error {
  constructor(names: readonly string[]) {
    super(
      `The database was last used by a newer version of Fourfold (it knows ${names.join(', ')}, this version does not). Start that version, or restore a backup made before the update.`,
    );
  }
}

/**
 * Brings the schema up to date. Each migration has its own transaction, which is also the lock: if
 * two nodes start, one migrates and the other finds it done. A process that dies half-way leaves
 * the old schema.
 * @returns the names of the applied migrations
 * @throws DatabaseIsNewer
 */
export async function migrate(
  database: WritableDatabase,
  clock: Clock,
  migrations: readonly Migration[] = released,
): Promise<string[]> {
  await database.write((transaction) => createLedger(transaction, database.dialect));
  const applied: string[] = [];
  for (const migration of migrations) {
    const isNew = await database.write((transaction) =>
      applyOnce(transaction, database.dialect, migration, migrations, clock),
    );
    if (isNew) applied.push(migration.name);
  }
  return applied;
}

/** Names the migrations that are still to be applied and end older versions. */
export async function findBreaking(
  { reader }: Pick<Database, 'reader'>,
  migrations: readonly Migration[] = released,
): Promise<string[]> {
  const done = new Set((await reader.selectFrom('migrations').select('name').execute()).map(({ name }) => name));
  return migrations.filter(({ name, isBreaking }) => isBreaking === true && !done.has(name)).map(({ name }) => name);
}

async function createLedger(transaction: Transaction<Tables>, dialect: Dialect): Promise<void> {
  await dialect.holdMigrations(transaction as Transaction<unknown>);
  await transaction.schema
    .createTable('migrations')
    .ifNotExists()
    .addColumn('name', dialect.key, (column) => column.primaryKey())
    .addColumn('applied_at', dialect.big, (column) => column.notNull())
    .execute();
}

async function applyOnce(
  transaction: Transaction<Tables>,
  dialect: Dialect,
  migration: Migration,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<boolean> {
  await dialect.holdMigrations(transaction as Transaction<unknown>);
  const done = (await transaction.selectFrom('migrations').select('name').execute()).map((row) => row.name);
  refuseNewer(done, migrations);
  if (done.includes(migration.name)) return false;
  await migration.up(transaction as Transaction<unknown>, dialect);
  await transaction.insertInto('migrations').values({ name: migration.name, applied_at: clock.now() }).execute();
  return true;
}

function refuseNewer(done: readonly string[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map((migration) => migration.name));
  const unknown = done.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
}
