/** Stored data is unusable or may be incomplete. The message tells the operator what to do. */
export class DatabaseDamaged extends Error {}

/** @param detail SQLite's own message */
export function describeBroken(file: string, detail: string): DatabaseDamaged {
  return new DatabaseDamaged(
    `its database cannot be used: ${file} is damaged (${detail}). Restore a backup in its place. ${beginAnew(file)}`,
  );
}

export function describeGone(file: string): DatabaseDamaged {
  return new DatabaseDamaged(
    `its database is gone: ${file} was here before. Put it back, or restore a backup in its place. ${beginAnew(file)}`,
  );
}

export function describeExchanged(file: string): DatabaseDamaged {
  return new DatabaseDamaged(
    `${file} is another database than the one that was used here before. Put that one back. ${keepThisOne(file)}`,
  );
}

export function describeOlder(file: string): DatabaseDamaged {
  return new DatabaseDamaged(
    `${file} holds less than it did before: it is an older copy, or ${file}-wal was lost or cut off. Put the newer one back, or restore a backup. ${keepThisOne(file)}`,
  );
}

/** The file was removed or replaced while the server runs. */
export function describeMoved(file: string): DatabaseDamaged {
  return new DatabaseDamaged(
    `${file} is no longer the file that was opened: it was removed or exchanged. Nothing is written until it is back or the server was started again.`,
  );
}

/** The path of the rollback guard, a file which shows that a database has been in use. */
export function rollbackGuardOf(file: string): string {
  return `${file}-begun`;
}

function beginAnew(file: string): string {
  return `To begin anew with an empty one, move ${file} and ${rollbackGuardOf(file)} away.`;
}

function keepThisOne(file: string): string {
  return `To go on with this one, for example after restoring a backup, remove ${rollbackGuardOf(file)}.`;
}
