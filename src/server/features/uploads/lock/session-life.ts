import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { enoughForLife } from '../upload-file.ts';
import { noteActive, sumDeclaredBytes } from './lock-repository.ts';

interface Life {
  /** Bytes that have come since the session was extended for the last time. */
  bytes: number;
  /** Bytes of all its files, as declared; null: not read yet. */
  declared: number | null;
  /** Epoch milliseconds; 0: not extended by this process. */
  extendedAt: number;
}

/** A few MB. Who is forgotten has its bytes counted anew. */
const maxSessions = 20_000;

/**
 * A session goes on as long as enough bytes come for it. That a request stands, or drips, does not keep it alive, nor the
 * quota that it was promised.
 */
export class SessionLife {
  private readonly database: Pick<Database, 'reader'>;
  private readonly lives = new Map<string, Life>();

  constructor(database: Pick<Database, 'reader'>) {
    this.database = database;
  }

  add(sessionId: string, bytes: number): void {
    const life = this.lives.get(sessionId) ?? { bytes: 0, declared: null, extendedAt: 0 };
    life.bytes += bytes;
    // Moves it behind the others: the first one is the one that has rested for the longest.
    this.lives.delete(sessionId);
    this.lives.set(sessionId, life);
    const oldest = this.lives.size > maxSessions ? this.lives.keys().next().value : undefined;
    if (oldest !== undefined) this.lives.delete(oldest);
  }

  /** Those of some sessions that have got enough to go on; to be extended in the transaction that follows. */
  async findDue(sessionIds: Iterable<string>): Promise<string[]> {
    const moved = [...new Set(sessionIds)].filter((id) => (this.lives.get(id)?.bytes ?? 0) > 0);
    const unknown = moved.filter((id) => this.lives.get(id)?.declared === null);
    for (const { sessionId, bytes } of await sumDeclaredBytes(this.database.reader, unknown)) {
      const life = this.lives.get(sessionId);
      if (life !== undefined) life.declared = bytes;
    }
    return moved.filter((id) => {
      const life = this.lives.get(id);
      return life !== undefined && life.declared !== null && life.bytes >= enoughForLife(life.declared);
    });
  }

  async extend(transaction: Executor, sessionIds: readonly string[], now: number): Promise<void> {
    if (sessionIds.length > 0) await noteActive(transaction, sessionIds, now);
  }

  /** Once that is committed. */
  onExtended(sessionIds: readonly string[], now: number): void {
    for (const id of sessionIds) {
      const life = this.lives.get(id);
      if (life !== undefined) Object.assign(life, { bytes: 0, extendedAt: now });
    }
  }

  /** When a session was extended for the last time, as far as this process knows. */
  activeAt({ id, activeAt }: { id: string; activeAt: number }): number {
    return Math.max(activeAt, this.lives.get(id)?.extendedAt ?? 0);
  }
}
