import type { Migration } from './migration.ts';
import { foundation } from './migrations/0001-foundation.ts';

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [foundation];
