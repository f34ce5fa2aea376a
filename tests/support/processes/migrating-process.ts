import { systemClock } from '#server/clock.ts';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { watchStatements } from '../database/statements.ts';

/*
 * Migrates a database, and kills itself before one of the statements. Arguments: the address as JSON, the number of the
 * statement from 0.
 */
const [address = '', statement = '0'] = process.argv.slice(2);
const database = openDatabase(JSON.parse(address) as DatabaseAddress);
watchStatements((sent) => {
  if (sent === Number(statement)) process.kill(process.pid, 'SIGKILL');
});
await migrate(database, systemClock);
await database.close();
