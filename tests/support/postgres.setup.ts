import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres.ts';

/** One PostgreSQL for the whole run; each server of a test gets a database of its own in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const postgres = given === undefined ? await startPostgres() : { url: given, stop: async () => {} };
  project.provide('database', { kind: 'postgres', url: postgres.url });
  return postgres.stop;
}
