import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';

/** Data that a client may have to load again. */
export type RevisionName = 'profile' | 'tags' | 'config';

/** Change counters, sent with each JSON answer as `X-Revision: <profile>.<tags>.<config>`. */
export interface Revisions {
  /** Returns the last known counters while the database does not answer; null if it never did. */
  current(): Promise<string | null>;
  /** Makes this process read the counters for its next answer; others do so within a second. */
  forget(): void;
}

const freshForMs = 1_000;

export function createRevisions(database: Database, clock: Clock): Revisions {
  let lastKnown: string | null = null;
  let latest: { text: Promise<string | null>; readAt: number } | null = null;

  async function read(): Promise<string | null> {
    try {
      lastKnown = await readRevisions(database.reader);
    } catch {
      // Sending the answer matters more than this header.
    }
    return lastKnown;
  }

  return {
    current() {
      if (latest === null || clock.elapsed() - latest.readAt >= freshForMs)
        latest = { text: read(), readAt: clock.elapsed() };
      return latest.text;
    },
    forget() {
      latest = null;
    },
  };
}

/** Adds a person's own counter to the profile's, which thus also changes for this person alone. */
export function revisionFor(revision: string, own: number): string {
  const [profile = '0', ...others] = revision.split('.');
  return [Number(profile) + own, ...others].join('.');
}

/** Runs in the transaction that changes the data; call `forget` after it. */
export async function bumpRevision(transaction: Executor, name: RevisionName): Promise<void> {
  await transaction
    .updateTable('revisions')
    .set((row) => ({ value: row('value', '+', 1) }))
    .where('name', '=', name)
    .execute();
}

/** Reads one counter directly from the database, for data that is cached until it changes. */
export async function readRevision(executor: Executor, name: RevisionName): Promise<number> {
  const row = await executor.selectFrom('revisions').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? 0;
}

async function readRevisions(executor: Executor): Promise<string> {
  const rows = await executor.selectFrom('revisions').selectAll().execute();
  const counters = new Map(rows.map((row) => [row.name, row.value]));
  return ['profile', 'tags', 'config'].map((name) => counters.get(name) ?? 0).join('.');
}
