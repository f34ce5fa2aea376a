import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { isDatabaseAway, isDatabaseFull } from '#server/database/dialect.ts';
import { migrate } from '#server/database/migrate.ts';

/*
 * Fills a SQLite file until a write is refused, and says how it went as JSON: started by a shell that limits the size
 * of files. Argument: the file.
 */
const database = openDatabase({ kind: 'sqlite', file: process.argv[2] ?? '' });
await migrate(database, systemClock);
const value = JSON.stringify('x'.repeat(20_000));
let written = 0;

async function writeUntilRefused(): Promise<unknown> {
  for (;;) {
    try {
      await database.write((transaction) =>
        transaction
          .insertInto('settings')
          .values({ name: `${written}`, value, updated_at: 1 })
          .execute(),
      );
      written += 1;
    } catch (error) {
      return error;
    }
  }
}

const error = await writeUntilRefused();
const again = await writeUntilRefused();
const read = await database.reader.selectFrom('settings').select('name').execute();
const isExpected = [error, again].every((refusal) => isDatabaseAway(refusal) || isDatabaseFull(refusal));
console.log(JSON.stringify({ written, read: read.length, isExpected, refusal: String(error) }));
await database.close();
