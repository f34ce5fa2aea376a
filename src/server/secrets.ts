import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Database } from './database/connection.ts';
import type { Executor } from './database/tables.ts';

/**
 * The permanent keys of this installation: made once, and the same on every node.
 * `http/signing.ts` holds the keys that are replaced over time.
 */
interface Secrets {
  /** Signs media URLs. */
  readonly mediaUrls: Buffer;
  /** Seals passwords and keys among the settings that administrators store. */
  readonly settings: Buffer;
  /** Tells this site from others that keep files in the same store. */
  readonly site: string;
}

export async function loadSecrets(database: Database, clock: Clock): Promise<Secrets> {
  const load = async (name: string) => Buffer.from(await loadSecret(database, clock, name, randomKey), 'base64');
  return {
    mediaUrls: await load('media_urls'),
    settings: await load('settings'),
    site: await loadSecret(database, clock, 'site', randomKey),
  };
}

/** Reads a secret, or makes it. If several nodes make it at once, all of them use the first one. */
async function loadSecret(database: Database, clock: Clock, name: string, make: () => string): Promise<string> {
  const known = await readSecret(database.reader, name);
  if (known !== null) return known;
  return database.write(async (transaction) => {
    await insertSecret(transaction, { name, value: make(), createdAt: clock.now() });
    return (await readSecret(transaction, name)) ?? '';
  });
}

export interface Secret {
  name: string;
  value: string;
  createdAt: number;
}

async function readSecret(executor: Executor, name: string): Promise<string | null> {
  const row = await executor.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
}

/** Lists the secrets whose names begin with `prefix`, oldest first. */
export async function readSecrets(executor: Executor, prefix: string): Promise<Secret[]> {
  const rows = await executor
    .selectFrom('secrets')
    .selectAll()
    .where('name', 'like', `${prefix}%`)
    .orderBy('created_at')
    .orderBy('name')
    .execute();
  return rows.map((row) => ({ name: row.name, value: row.value, createdAt: row.created_at }));
}

/** Adds a secret; an existing one of that name stays unchanged. */
export async function insertSecret(executor: Executor, { name, value, createdAt }: Secret): Promise<void> {
  await executor
    .insertInto('secrets')
    .values({ name, value, created_at: createdAt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/**
 * Deletes a secret.
 * @returns whether it existed
 */
export async function takeSecret(executor: Executor, name: string): Promise<boolean> {
  const taken = await executor.deleteFrom('secrets').where('name', '=', name).returning('name').execute();
  return taken.length > 0;
}

/** 256 bits, base64. */
export function randomKey(): string {
  return randomBytes(32).toString('base64');
}
