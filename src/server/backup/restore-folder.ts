import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { lockForProcess } from '../database/sqlite-file.ts';
import type { Disk } from './disk.ts';
import { createFile, hasCode } from './disk.ts';

/** In DATA_DIR, while a restore is under way and after one that was cut off. */
const folderName = 'restoring';
/** The same, once nothing in it counts any more. */
const tracesName = 'restoring-ended';

const journalName = 'journal.json';
/** The same, from when on what was moved is taken back. */
const undoName = 'undo.json';

const journalSchema = z.object({
  /** Of the restore. */
  id: z.string(),
  /** Where the rows went. */
  database: z.enum(['sqlite', 'postgres']),
  /** What is moved into DATA_DIR, in this order. */
  moves: z.array(z.string()),
});
type RestoreJournal = z.infer<typeof journalSchema>;

/** A name in DATA_DIR that is no part of a site. */
export function isRestoreTrace(name: string): boolean {
  return name === folderName || name === tracesName;
}

/** The server's part. @throws RestoreRefused while DATA_DIR is half restored */
export function refuseHalfRestored(dataFolder: string): void {
  if (existsSync(join(dataFolder, folderName)))
    throw new RestoreRefused(
      `a restore into ${dataFolder} is under way, or was interrupted. Wait for it, or run it again: npm run restore undoes what the interrupted one has left.`,
    );
}

/**
 * What a restore prepares before it is seen: all is made in here, and then moved into DATA_DIR. The journal says what
 * is moved, so that the next restore can tell how far this one came.
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

  /** @throws RestoreRefused while another process has it */
  static async open(disk: Disk, dataFolder: string): Promise<RestoreFolder> {
    const folder = join(dataFolder, folderName);
    const wasThere = existsSync(folder);
    try {
      await disk.makeFolder(join(folder, 'new'));
      const release = lockForProcess(join(folder, 'lock'));
      if (release === null) throw new RestoreRefused(`Another restore into ${dataFolder} is under way.`);
      return new RestoreFolder(disk, dataFolder, release);
    } catch (error) {
      // Somebody else's stays. On a full disk some of the folders may have been made.
      if (!wasThere && !(error instanceof RestoreRefused)) await disk.remove(folder).catch(() => {});
      throw error;
    }
  }

  /** Where what is to be moved is made; laid out as DATA_DIR is. */
  get made(): string {
    return join(this.folder, 'new');
  }

  async createFile(name: string, bytes: Buffer): Promise<void> {
    const file = join(this.made, name);
    await this.disk.makeFolder(dirname(file));
    await createFile(this.disk, file, bytes);
  }

  /** From the journal on it is known what has to be undone. */
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

  /** Null: nothing was moved yet, or it is being taken back. */
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

  /** Takes back what was moved. Cut off, it is gone on with by the next one: what is half undone is never whole. */
  async undo(): Promise<void> {
    const journal = await this.readJournal();
    if (journal !== null) await this.announceUndo(journal);
    const moves = (journal ?? (await this.readNotes(undoName)))?.moves ?? [];
    for (const name of moves)
      if (!existsSync(join(this.made, name))) await this.disk.remove(join(this.dataFolder, name));
    // One that holds anything else stays.
    for (const folder of new Set(moves.map((name) => dirname(name)).filter((folder) => folder !== '.')))
      await this.disk.removeEmptyFolder(join(this.dataFolder, folder)).catch(() => {});
    await this.close().catch(() => this.removeInPlace());
  }

  /** On a full disk it may not succeed. What was not all moved looks half restored without it, until the last name goes. */
  private async announceUndo(journal: RestoreJournal): Promise<void> {
    try {
      await this.disk.rename(join(this.folder, journalName), join(this.folder, undoName));
      await this.disk.syncFolder(this.folder);
    } catch (error) {
      if (this.hasMovedAll(journal)) throw error;
    }
  }

  /** Takes no room on the disk, not even for a name. The journal goes first: without it nothing looks restored. */
  private async removeInPlace(): Promise<void> {
    await this.disk.remove(join(this.folder, journalName));
    this.release();
    await this.disk.remove(this.folder);
    await this.disk.remove(join(this.dataFolder, tracesName));
  }

  /** From its rename on DATA_DIR is not half restored. */
  async close(): Promise<void> {
    const traces = join(this.dataFolder, tracesName);
    await this.disk.remove(traces);
    await this.disk.rename(this.folder, traces);
    await this.disk.syncFolder(this.dataFolder);
    this.release();
    await this.disk.remove(traces);
  }

  /** Leaves everything for the next restore to undo. */
  leave(): void {
    this.release();
  }
}

/** Nothing was changed: a sentence for whoever wants to restore. */
export class RestoreRefused extends Error {}
