import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { Database } from './database/connection.ts';

/** The keys this installation signs with. The same on every node, made once. */
export interface Secrets {
  /** For media addresses. */
  readonly mediaUrls: Buffer;
}

export async function loadSecrets(database: Database, clock: Clock): Promise<Secrets> {
  return { mediaUrls: await loadSecret(database, clock, 'media_urls') };
}

/** Whoever comes first makes it; everybody reads what was made first. */
async function loadSecret(database: Database, clock: Clock, name: string): Promise<Buffer> {
  const known = await database.reader.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirst();
  if (known !== undefined) return Buffer.from(known.value, 'base64');
  const value = randomBytes(32).toString('base64');
  const row = await database.write(async (transaction) => {
    await transaction
      .insertInto('secrets')
      .values({ name, value, created_at: clock.now() })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return transaction.selectFrom('secrets').select('value').where('name', '=', name).executeTakeFirstOrThrow();
  });
  return Buffer.from(row.value, 'base64');
}
