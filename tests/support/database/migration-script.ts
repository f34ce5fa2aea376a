import pg from 'pg';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';

/**
 * Everything that the migrations change in an empty schema of PostgreSQL, as one text of SQL: sent at once it takes a
 * fraction of the time that a hundred statements take, and each server of a test needs it. Migrating again finds
 * nothing to do.
 * @param url of an empty schema, which is migrated
 */
export async function recordMigrations(url: string): Promise<string> {
  const changes: string[] = [];
  const stop = listenToQueries((text, values) => {
    if (/^\s*(create|alter|insert|update)\b/i.test(text)) changes.push(withValues(text, values));
  });
  const database = openDatabase({ kind: 'postgres', url });
  try {
    await migrate(database, systemClock);
  } finally {
    stop();
    await database.close();
  }
  return changes.join(';\n');
}

function listenToQueries(heard: (text: string, values: readonly unknown[]) => void): () => void {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first, second] = given as [string | pg.QueryConfig, unknown[]?];
    if (typeof first === 'string') heard(first, Array.isArray(second) ? second : []);
    else heard(first.text, first.values ?? []);
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  return () => {
    pg.Client.prototype.query = query;
  };
}

function withValues(text: string, values: readonly unknown[]): string {
  return text.replace(/\$(\d+)/g, (_, place) => pg.escapeLiteral(String(values[Number(place) - 1])));
}
