import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { lockForProcess } from '../database/sqlite-file.ts';
import type { Disk } from './disk.ts';
import { createFile, hasCode } from './disk.ts';

/** Folder in DATA_DIR during a restore and after an interrupted one. */
const folderName = 'restoring';
/** Name of the same folder once it can be deleted. */
const tracesName = 'restoring-ended';

const journalName = 'journal.json';
/** Name of the journal once the restore is being undone. */
const undoName = 'undo.json';

const journalSchema = z.object({
  /** Identifies the restore. */
  id: z.string(),
  /** The kind of database that received the rows. */
  database: z.enum(['sqlite', 'postgres']),
  /** The files that are moved into DATA_DIR, in this order. */
  moves: z.array(z.string()),
});
type RestoreJournal = z.infer<typeof journalSchema>;

/** Whether a name in DATA_DIR belongs to a restore and not to a site. */
export function isRestoreTrace(name: string): boolean {
  return name === folderName || name === tracesName;
}

/** Keeps the server from starting. @throws RestoreRefused while DATA_DIR is half restored */
export function refuseHalfRestored(dataFolder: string): void {
  if (existsSync(join(dataFolder, folderName)))
    throw new RestoreRefused(
      `a restore into ${dataFolder} is under way, or was interrupted. Wait for it, or run it again: npm run restore undoes what the interrupted one has left.`,
    );
}

/**
 * The folder in which a restore makes all files before it moves them into DATA_DIR. A journal lists
 * the files to move, so that after an interruption the next restore can tell how far this one came.
 */
export class RestoreFolder {
  private readonly disk: Disk;
  private readonly dataFolder: string;
  private readonly folder: string;
  private readonly release: () => void;

  private constructor(disk: Disk, dataFolder: string, release: () => void) {
    this.disk = disk;
    this.dataFolder = dataFolder;
    this.folder = join(dataFolder, folderName);
    this.release = release;
  }

  static isLeftIn(dataFolder: string): boolean {
    return existsSync(join(dataFolder, folderName));
  }

  /** @throws RestoreRefused while another process uses the folder */
  static async open(disk: Disk, dataFolder: string): Promise<RestoreFolder> {
    const folder = join(dataFolder, folderName);
    const wasThere = existsSync(folder);
    try {
      await disk.makeFolder(join(folder, 'new'));
      const release = lockForProcess(join(folder, 'lock'));
      if (release === null) throw new RestoreRefused(`Another restore into ${dataFolder} is under way.`);
      return new RestoreFolder(disk, dataFolder, release);
    } catch (error) {
      // A folder of another restore stays. On a full disk, some of the folders may have been made.
      if (!wasThere && !(error instanceof RestoreRefused)) await disk.remove(folder).catch(() => {});
      throw error;
    }
  }

  /** The folder for files that are to be moved, with the layout of DATA_DIR. */
  get made(): string {
    return join(this.folder, 'new');
  }

  async createFile(name: string, bytes: Buffer): Promise<void> {
    const file = join(this.made, name);
    await this.disk.makeFolder(dirname(file));
    await createFile(this.disk, file, bytes);
  }

  /**
   * Moves all files into DATA_DIR. The journal is written first, so an interrupted move can be
   * undone.
   */
  async moveAll(journal: RestoreJournal): Promise<void> {
    const { moves } = journal;
    await this.syncMade(moves);
    const written = join(this.folder, 'journal.new');
    await createFile(this.disk, written, Buffer.from(JSON.stringify(journal)));
    await this.disk.rename(written, join(this.folder, journalName));
    await this.disk.syncFolder(this.folder);
    for (const name of moves) {
      if (existsSync(join(this.dataFolder, name)))
        throw new RestoreRefused(`${join(this.dataFolder, name)} has come up meanwhile. Nothing is ever replaced.`);
      await this.disk.makeFolder(dirname(join(this.dataFolder, name)));
      await this.disk.rename(join(this.made, name), join(this.dataFolder, name));
      await this.disk.syncFolder(dirname(join(this.dataFolder, name)));
    }
    await this.disk.syncFolder(this.dataFolder);
  }

  private async syncMade(moves: readonly string[]): Promise<void> {
    const folders = new Set([this.made, ...moves.map((name) => dirname(join(this.made, name)))]);
    for (const folder of folders) await this.disk.syncFolder(folder);
  }

  /** Null if no file has been moved yet, or the moves are being undone. */
  readJournal(): Promise<RestoreJournal | null> {
    return this.readNotes(journalName);
  }

  private async readNotes(name: string): Promise<RestoreJournal | null> {
    try {
      return journalSchema.parse(JSON.parse(await readFile(join(this.folder, name), 'utf8')));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
  }

  hasMovedAll({ moves }: RestoreJournal): boolean {
    return moves.every((name) => !existsSync(join(this.made, name)));
  }

  /**
   * Removes the files that were moved. If it is interrupted, the next restore continues it: a
   * restore that is being undone never counts as complete.
   */
  async undo(): Promise<void> {
    const journal = await this.readJournal();
    if (journal !== null) await this.announceUndo(journal);
    const moves = (journal ?? (await this.readNotes(undoName)))?.moves ?? [];
    for (const name of moves)
      if (!existsSync(join(this.made, name))) await this.disk.remove(join(this.dataFolder, name));
    // A folder that contains other files stays.
    for (const folder of new Set(moves.map((name) => dirname(name)).filter((folder) => folder !== '.')))
      await this.disk.removeEmptyFolder(join(this.dataFolder, folder)).catch(() => {});
    await this.close().catch(() => this.removeInPlace());
  }

  /**
   * Renames the journal, which may fail on a full disk. That is tolerated while some files are not
   * moved yet, because the restore then looks incomplete anyway.
   */
  private async announceUndo(journal: RestoreJournal): Promise<void> {
    try {
      await this.disk.rename(join(this.folder, journalName), join(this.folder, undoName));
      await this.disk.syncFolder(this.folder);
    } catch (error) {
      if (this.hasMovedAll(journal)) throw error;
    }
  }

  /**
   * Removes the folder without a rename, which would need room on the disk. The journal goes first:
   * without it, the restore does not count as complete.
   */
  private async removeInPlace(): Promise<void> {
    await this.disk.remove(join(this.folder, journalName));
    this.release();
    await this.disk.remove(this.folder);
    await this.disk.remove(join(this.dataFolder, tracesName));
  }

  /**
   * Removes the folder. It is renamed first; from then on, DATA_DIR no longer counts as half
   * restored.
   */
  async close(): Promise<void> {
    const traces = join(this.dataFolder, tracesName);
    await this.disk.remove(traces);
    await this.disk.rename(this.folder, traces);
    await this.disk.syncFolder(this.dataFolder);
    this.release();
    await this.disk.remove(traces);
  }

  /** Releases the lock and leaves everything else for the next restore to undo. */
  leave(): void {
    this.release();
  }
}

/** Nothing was changed. The message is a sentence for the person who restores. */
export class RestoreRefused extends Error {}
