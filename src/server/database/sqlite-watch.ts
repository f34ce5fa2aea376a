import { statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import type { DatabaseDamaged } from './damage.ts';
import { sayBroken, sayMoved } from './damage.ts';
import { isDamage } from './sqlite-file.ts';
import { bearWitness } from './sqlite-witness.ts';

/** Looks after an open database file. */
export interface SqliteWatch {
  /** @throws DatabaseDamaged when the file was found damaged, or is no longer the one that was opened */
  assertSound(): void;
  /** Learns from what a statement was refused with. */
  note(error: unknown): void;
  stop(): void;
}

/** What is committed between two of them may be lost with the WAL without being missed. */
const witnessEveryMs = 60_000;

/** @param onDamage called once, with the first damage */
export function watchSqlite(database: Sqlite.Database, file: string, onDamage: (damage: DatabaseDamaged) => void): SqliteWatch {
  const opened = identify(file);
  const written = () => Number(database.prepare('select total_changes()').pluck().get());
  let witnessed = written();
  let damage: DatabaseDamaged | null = null;
  let isTold = false;

  function tell(found: DatabaseDamaged): DatabaseDamaged {
    if (!isTold) onDamage(found);
    isTold = true;
    return found;
  }

  function witness(): void {
    if (database.inTransaction || damage !== null || identify(file) !== opened || written() === witnessed) return;
    try {
      bearWitness(database, file);
      witnessed = written();
    } catch (error) {
      note(error);
    }
  }

  function note(error: unknown): void {
    if (isDamage(error)) damage ??= tell(sayBroken(file, (error as Error).message));
  }

  const timer = setInterval(witness, witnessEveryMs).unref();
  return {
    assertSound() {
      if (damage !== null) throw damage;
      if (identify(file) !== opened) throw tell(sayMoved(file));
    },
    note,
    stop: () => clearInterval(timer),
  };
}

/** The log belongs to it: what is committed stands there first. */
function identify(file: string): string {
  return [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .map((facts) => (facts === undefined ? 'gone' : `${facts.dev}:${facts.ino}`))
    .join();
}
