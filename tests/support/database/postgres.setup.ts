import type { TestProject } from 'vitest/node';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { keepSwift } from '../storage/swift-store.ts';
import { startPostgres } from './postgres.ts';
import { createDatabase, dropDatabase } from './postgres-database.ts';

/** One PostgreSQL for the whole run; each server of a test gets a copy of one migrated database in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const postgres = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  const migrated = await createDatabase(postgres.url);
  const database = openDatabase({ kind: 'postgres', url: migrated.url });
  await migrate(database, systemClock);
  await database.close();
  const endSwift = await keepSwift(project);
  project.provide('database', { kind: 'postgres', url: postgres.url, migrated: migrated.name });
  return async () => {
    await endSwift();
    await dropDatabase(postgres.url, migrated.name);
    await postgres.stop();
  };
}
