import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';

/** What a client may have to load again. */
export type RevisionName = 'profile' | 'tags' | 'config';

/** Counters that travel on each JSON answer as `X-Revision: <profile>.<tags>.<config>`. */
export interface Revisions {
  /** The last ones known while the database does not answer; null when it never did. */
  current(): Promise<string | null>;
  /** Makes the next answer of this process read the counters again; others do within a second. */
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
      // The answer itself matters more than what it says beside it.
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

/** The profile's counter goes on, too, when something changes for this one person. */
export function revisionFor(revision: string, own: number): string {
  const [profile = '0', ...others] = revision.split('.');
  return [Number(profile) + own, ...others].join('.');
}

/** Part of the transaction that changes what the counter is about. Call `forget` after it. */
export async function bumpRevision(transaction: Executor, name: RevisionName): Promise<void> {
  await transaction
    .updateTable('revisions')
    .set((row) => ({ value: row('value', '+', 1) }))
    .where('name', '=', name)
    .execute();
}

/** One counter as the database has it at this moment: for what is stored until it changes. */
export async function readRevision(executor: Executor, name: RevisionName): Promise<number> {
  const row = await executor.selectFrom('revisions').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? 0;
}

async function readRevisions(executor: Executor): Promise<string> {
  const rows = await executor.selectFrom('revisions').selectAll().execute();
  const counters = new Map(rows.map((row) => [row.name, row.value]));
  return ['profile', 'tags', 'config'].map((name) => counters.get(name) ?? 0).join('.');
}
