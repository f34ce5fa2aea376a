import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { inListLength, isDatabaseFull } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import type { DerivedFile, DerivedFiles } from '../../storage/derived-files.ts';
import { encodingRepository } from '../videos/encoding-repository.ts';
import type { Budget } from './budget.ts';
import type { StoredItem } from './derived-repository.ts';
import { derivedFileRepository } from './derived-repository.ts';
import type { EncodeReason } from './encode-order.ts';
import { isForFreeRoom } from './encode-order.ts';

export interface RoomDeps {
  database: Database;
  idSets: Pick<IdSets, 'write'>;
  clock: Clock;
  files: Pick<DerivedFiles, 'remove'>;
  uses: Uses;
  budget: Budget;
  /**
   * Updates whether and by which files a video can be played, after its encodings were added or
   * removed.
   */
  alignEncoded(transaction: Executor, changes: SetChanges, videoNumber: number): Promise<void>;
}

/** Items that one transaction removes; it takes some milliseconds. */
const itemsTogether = 50;
/** Rounds of removal: content that two videos share frees its bytes only with the second one. */
const maxRounds = 5;

/**
 * The bytes that encodings may take of the disk, and the choice of what is removed when more are
 * needed.
 */
export class Room {
  private readonly deps: RoomDeps;

  constructor(deps: RoomDeps) {
    this.deps = deps;
  }

  usedBytes(): Promise<number> {
    return derivedFileRepository.sumBytes(this.deps.database.reader);
  }

  /** Bytes that may be written without removing anything. */
  async freeBytes(): Promise<number> {
    return this.deps.budget.bytes - (await this.usedBytes());
  }

  /**
   * Bytes available for unplayable videos once everything that may be removed for them is removed.
   */
  async roomForUnplayable(): Promise<number> {
    const items = await derivedFileRepository.list(this.deps.database.reader);
    const kept = items.filter((item) => item.isNeeded || this.deps.uses.isPlaying(item));
    return this.deps.budget.bytes - sumBytes(kept);
  }

  /** @returns false when there is not enough room; nothing was removed then */
  async make(bytes: number, reason: EncodeReason): Promise<boolean> {
    for (let round = 0; round < maxRounds; round += 1) {
      const lacking = bytes - (await this.freeBytes());
      if (lacking <= 0) return true;
      const chosen = await this.choose(lacking, reason);
      if (sumBytes(chosen) < lacking) return false;
      await this.remove(chosen);
    }
    return (await this.freeBytes()) >= bytes;
  }

  /** Removes as much as possible to return to the budget, which may have shrunk. */
  async trim(): Promise<void> {
    await this.remove(await this.choose(-(await this.freeBytes()), 'unplayable'));
  }

  /** Removes everything that is not being played. */
  async clear(): Promise<void> {
    const { database, uses } = this.deps;
    // The second round removes storyboards and subtitles, which are items of their own once their
    // video has no encoding.
    for (let round = 0; round < 2; round += 1) {
      const items = await derivedFileRepository.list(database.reader);
      await this.remove(items.filter((item) => !uses.isPlaying(item)));
    }
  }

  /** Forgets an encoding whose file is missing, and updates how its videos can be played. */
  async forget(content: string): Promise<void> {
    await this.deps.idSets.write(async (transaction, changes) => {
      for (const number of await encodingRepository.remove(transaction, content))
        await this.deps.alignEncoded(transaction, changes, number);
    });
    await this.discard([{ content, extension: '.mp4' }]);
  }

  private async choose(bytes: number, reason: EncodeReason): Promise<StoredItem[]> {
    if (bytes <= 0) return [];
    const { database, clock, uses } = this.deps;
    const items = await derivedFileRepository.list(database.reader);
    return chooseEvictions(items, { bytes, reason, now: clock.now(), isPlaying: (item) => uses.isPlaying(item) });
  }

  /**
   * Deletes the rows first: a process that dies in between leaves files that the next sweep finds.
   * A full disk does not even take that: the encodings are removed first then, and players that ask
   * for one learn that it is gone.
   */
  private async remove(items: readonly StoredItem[]): Promise<void> {
    for (let from = 0; from < items.length; from += itemsTogether) {
      const some = items.slice(from, from + itemsTogether);
      const files = await this.deleteRows(some).catch(async (error: unknown) => {
        if (!isDatabaseFull(error)) throw error;
        for (const { content } of some) if (content !== null) await this.deps.files.remove(content, '.mp4');
        return this.deleteRows(some);
      });
      await this.discard(files);
    }
  }

  private deleteRows(items: readonly StoredItem[]): Promise<DerivedFile[]> {
    return this.deps.idSets.write(async (transaction, changes) => {
      const files: DerivedFile[] = [];
      for (const item of items) {
        const own = await encodingRepository.listDerivedFiles(transaction, item.videoNumber);
        if (!(await derivedFileRepository.delete(transaction, item))) continue;
        files.push(
          ...own.filter(
            ({ content, extension }) => content === item.content || (item.content === null && extension !== '.mp4'),
          ),
        );
        await this.deps.alignEncoded(transaction, changes, item.videoNumber);
      }
      return files;
    });
  }

  /** Removes files that no video uses any more. */
  async discard(files: readonly DerivedFile[]): Promise<void> {
    const used = await derivedFileRepository.findUsedContents(
      this.deps.database.reader,
      files.map(({ content }) => content),
    );
    for (const { content, extension } of files)
      if (!used.has(content)) await this.deps.files.remove(content, extension);
  }
}

function sumBytes(items: readonly StoredItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0);
}

const dayMs = 24 * 3_600_000;

interface RoomRequest {
  /** Bytes to free. */
  bytes: number;
  reason: EncodeReason;
  /** Epoch milliseconds. */
  now: number;
  isPlaying(item: StoredItem): boolean;
}

/**
 * Chooses what is removed to make room: first the least recently used items that their videos can
 * be played without, then items that nobody has played for a day. Nothing is removed for background
 * work.
 * @returns items of fewer bytes than requested when no more may be removed
 */
export function chooseEvictions(
  items: readonly StoredItem[],
  { bytes, reason, now, isPlaying }: RoomRequest,
): StoredItem[] {
  if (bytes <= 0 || isForFreeRoom(reason)) return [];
  const removable = items
    .filter((item) => !isPlaying(item) && (!item.isNeeded || item.usedAt < now - dayMs))
    .sort((one, other) => Number(one.isNeeded) - Number(other.isNeeded) || one.usedAt - other.usedAt);
  const chosen: StoredItem[] = [];
  for (let freed = 0; freed < bytes; freed += chosen.at(-1)?.bytes ?? 0) {
    const next = removable[chosen.length];
    if (next === undefined) break;
    chosen.push(next);
  }
  return chosen;
}

/** How long after its last byte an encoding counts as playing. */
const playingMs = 10 * 60_000;
/** How often the use of an encoding is written, so that other nodes know of it. */
const writeEveryMs = 5 * 60_000;

interface Use {
  /** Epoch milliseconds. */
  usedAt: number;
  writtenAt: number;
}

/** The encodings that are being played, kept in memory and written from time to time. */
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
    // Storyboards and subtitles are read at once, so nothing holds them open.
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
    for (const table of ['encodings', 'audio_encodings'] as const)
      await transaction
        .updateTable(table)
        .set({ used_at: now })
        .where('content', 'in', contents.slice(from, from + inListLength))
        .execute();
}
