import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { databaseFileName } from '#server/folders.ts';
import { keepSwift } from '../storage/swift-store.ts';

/** Each server of a test gets a copy of one migrated file: to migrate takes most of the time of many tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const endSwift = await keepSwift(project);
  const folder = mkdtempSync(join(tmpdir(), 'fourfold-migrated-'));
  const migrated = join(folder, databaseFileName);
  const database = openDatabase({ kind: 'sqlite', file: migrated });
  await migrate(database, systemClock);
  await database.close();
  project.provide('database', { kind: 'sqlite', migrated });
  return async () => {
    await endSwift();
    rmSync(folder, { recursive: true, force: true });
  };
}
