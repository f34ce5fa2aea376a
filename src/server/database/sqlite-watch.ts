import { statSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { repeat } from '../repeat.ts';
import type { DatabaseDamaged } from './damage.ts';
import { describeBroken, describeMoved } from './damage.ts';
import { writeRollbackGuard } from './rollback-guard.ts';
import { isDamage } from './sqlite-file.ts';

/** Looks after an open database file. */
export interface SqliteWatch {
  /** @throws DatabaseDamaged when the file was found damaged, or is no longer the one that was opened */
  assertSound(): void;
  /** Learns from what a statement was refused with. */
  note(error: unknown): void;
  stop(): void;
}

/** What is committed between two of them may be lost with the WAL without being missed. */
const guardEveryMs = 60_000;

export interface SqliteWatchListener {
  /** Called once, with the first damage. */
  onDamage(damage: DatabaseDamaged): void;
  onFault?: ((error: unknown) => void) | undefined;
}

export function watchSqlite(
  database: Sqlite.Database,
  file: string,
  { onDamage, onFault }: SqliteWatchListener,
): SqliteWatch {
  const opened = identify(file);
  const written = () => Number(database.prepare('select total_changes()').pluck().get());
  let guardedAt = written();
  let damage: DatabaseDamaged | null = null;
  let isReported = false;

  function reportOnce(found: DatabaseDamaged): DatabaseDamaged {
    if (!isReported) onDamage(found);
    isReported = true;
    return found;
  }

  function writeGuard(): void {
    if (database.inTransaction || damage !== null || identify(file) !== opened || written() === guardedAt) return;
    try {
      writeRollbackGuard(database, file);
      guardedAt = written();
    } catch (error) {
      note(error);
    }
  }

  function note(error: unknown): void {
    if (isDamage(error)) damage ??= reportOnce(describeBroken(file, (error as Error).message));
  }

  const guarding = repeat(writeGuard, guardEveryMs, onFault);
  return {
    assertSound() {
      if (damage !== null) throw damage;
      if (identify(file) !== opened) throw reportOnce(describeMoved(file));
    },
    note,
    stop: guarding.stop,
  };
}

/** The log belongs to it: what is committed stands there first. */
function identify(file: string): string {
  return [file, `${file}-wal`].map(identityOf).join();
}

/** A folder without rights, or a loop of links in its place, hides the file as well as if it were gone. */
function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return 'gone';
  }
}
