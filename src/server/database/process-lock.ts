import Sqlite from 'better-sqlite3';

/**
 * Locks a file of its own for this process: until it is released, or until the process ends, however it ends. Node has
 * no call for that; SQLite has.
 * @returns what releases it; null when another process has it
 */
export function lockForProcess(file: string): (() => void) | null {
  const database = new Sqlite(file, { timeout: 0 });
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
  return () => database.close();
}
