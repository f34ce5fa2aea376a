import type { Database } from '../../../database/connection.ts';
import { DatabaseBusy } from '../../../database/connection.ts';
import { DatabaseDamaged } from '../../../database/damage.ts';
import { isDatabaseFull, isReadOnly } from '../../../database/dialect.ts';
import { tryWrite } from '../settings-repository.ts';

/** `away`: it gives no answer. */
export type DatabaseState = 'sound' | 'damaged' | 'read-only' | 'full' | 'away';

/** Found out by a write that changes nothing. */
export async function readDatabaseState(database: Database): Promise<DatabaseState> {
  try {
    await database.ping();
    await database.write(tryWrite);
    return 'sound';
  } catch (error) {
    if (error instanceof DatabaseBusy) return 'sound';
    if (error instanceof DatabaseDamaged) return 'damaged';
    if (isDatabaseFull(error)) return 'full';
    return isReadOnly(error) ? 'read-only' : 'away';
  }
}
