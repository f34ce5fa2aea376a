import type { TestProject } from 'vitest/node';
import { recordMigrations } from './migration-script.ts';
import { startPostgres } from './postgres.ts';
import { inNewSchema, runOn } from './postgres-schema.ts';

/** One PostgreSQL for the whole run; each server of a test gets a schema of its own in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const postgres = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  const { name, url } = await inNewSchema(postgres.url);
  const migrations = await recordMigrations(url);
  await runOn(postgres.url, `drop schema ${name} cascade`);
  project.provide('database', { kind: 'postgres', url: postgres.url, migrations });
  return postgres.stop;
}
