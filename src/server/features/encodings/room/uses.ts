import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { inListLength } from '../../../database/dialect.ts';
import type { StoredItem } from './stored-item-repository.ts';

/** How long after its last byte an encoding counts as playing. */
const playingMs = 10 * 60_000;
/** How often it is written down that one is used, so that other nodes know. */
const writeEveryMs = 5 * 60_000;

interface Use {
  /** Epoch milliseconds. */
  usedAt: number;
  writtenAt: number;
}

/** Which encodings are being played, in memory, and written down now and then. */
export class Uses {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly uses = new Map<string, Use>();

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  note(content: string): void {
    const usedAt = this.clock.now();
    const use = this.uses.get(content);
    if (use === undefined) this.uses.set(content, { usedAt, writtenAt: 0 });
    else use.usedAt = usedAt;
  }

  isPlaying({ content, usedAt }: StoredItem): boolean {
    const since = this.clock.now() - playingMs;
    // Sheets and subtitles are read whole: nobody holds them.
    if (content === null) return false;
    return usedAt > since || (this.uses.get(content)?.usedAt ?? 0) > since;
  }

  async write(): Promise<void> {
    const now = this.clock.now();
    const due = [...this.uses].filter(([, use]) => use.usedAt > use.writtenAt && now - use.writtenAt >= writeEveryMs);
    const contents = due.map(([content]) => content);
    if (contents.length > 0) await this.database.write((transaction) => writeUses(transaction, contents, now));
    for (const [, use] of due) use.writtenAt = now;
    for (const [content, { usedAt }] of this.uses) if (usedAt <= now - playingMs) this.uses.delete(content);
  }
}

async function writeUses(
  transaction: Parameters<Parameters<Database['write']>[0]>[0],
  contents: readonly string[],
  now: number,
): Promise<void> {
  for (let from = 0; from < contents.length; from += inListLength)
    await transaction
      .updateTable('encodings')
      .set({ used_at: now })
      .where('content', 'in', contents.slice(from, from + inListLength))
      .execute();
}
