import type { TestProject } from 'vitest/node';
import type { TestDatabase } from './test-database.ts';

const database: TestDatabase = { kind: 'sqlite' };

/** Each server of a test gets a file of its own. */
export function setup(project: TestProject): void {
  project.provide('database', database);
}
