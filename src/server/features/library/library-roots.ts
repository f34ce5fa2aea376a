import { opendir } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { WriteWithSets } from '../../id-sets/write-slices.ts';
import type { Lease } from '../../nodes/lease.ts';
import { tagRepository } from '../tags/tag-repository.ts';
import { availabilityRepository } from './availability-repository.ts';
import type { KnownRoot, ServedRoot, WantedRoot } from './root-repository.ts';
import { rootRepository } from './root-repository.ts';

/** The configured folders of videos. */
interface LibrarySettings {
  /** Absolute paths; empty when none is configured. */
  folders: readonly string[];
  /** False: this server serves no folders. */
  servesFolders: boolean;
  /** The places of libraries in stores. */
  stores: readonly string[];
  /** The folder of demo clips, which are served while there are no other videos. */
  demoFolder: string;
  /** The folder of uploaded videos. */
  uploadsFolder: string;
  /** Whether this server says what is missing: it is the one that scans, or is alone. */
  decides(): boolean;
}

/** The roots that are served, as they were read last. */
export interface LibraryRoots {
  active(): readonly ServedRoot[];
  /** Reads the stored roots again: another node may have aligned them. */
  refresh(): Promise<void>;
  /** Aligns the stored roots with the settings, which are the same on all nodes, and reads them. */
  align(): Promise<void>;
  /** Finds the folders that this server cannot read at the moment, or in which it sees nothing. */
  findAway(): Promise<string[]>;
  /** Whether this server cannot read a root's folder, and another one says what is missing there. */
  isAway(rootNumber: number): Promise<boolean>;
}

/** @param lease of what aligns the roots: two nodes that switch a root at once could both fail */
export function createLibraryRoots(
  { database, idSets, clock }: { database: Database; idSets: IdSets; clock: Clock },
  lease: Pick<Lease, 'during'>,
  settings: LibrarySettings,
): LibraryRoots {
  let active: readonly ServedRoot[] = [];
  const folders = new FolderLooks();
  async function refresh(): Promise<void> {
    const roots = await rootRepository.list(database.reader);
    active = roots
      .filter((root) => root.isActive)
      .map(({ number, name, folder, kind }) => ({
        number,
        name,
        // Each node has its own path to the files that all share.
        folder: kind === 'uploads' ? settings.uploadsFolder : folder,
        kind,
      }));
  }
  async function isAway({ number, folder, kind }: ServedRoot): Promise<boolean> {
    if (settings.decides() || (kind !== 'folder' && kind !== 'demo')) return false;
    const entries = await folders.look(folder);
    // The empty folder is where a disk would be mounted.
    return (
      entries === 'away' || (entries === 'empty' && (await rootRepository.hasPresentVideos(database.reader, number)))
    );
  }
  async function alignAll(): Promise<void> {
    for (const folder of settings.folders) await ensureRoot(database, clock, { folder, kind: 'folder' });
    for (const place of settings.stores) await ensureRoot(database, clock, { folder: place, kind: 'store' });
    await switchRoots(database, idSets, 'store', (root) => settings.stores.includes(root.folder));
    await switchRoots(database, idSets, 'folder', (root) => settings.folders.includes(root.folder));
    await refreshDemo(database, idSets, clock, settings);
    await ensureRoot(database, clock, { folder: 'uploads', kind: 'uploads' });
  }
  return {
    active: () => active,
    refresh,
    async align() {
      // A server without folders does not know which ones the others have.
      if (settings.servesFolders && !(await isAligned(database, settings))) await lease.during(alignAll);
      await refresh();
    },
    async findAway() {
      const away: string[] = [];
      for (const { kind, folder } of settings.servesFolders ? active : [])
        if ((kind === 'folder' || kind === 'demo') && (await folders.look(folder)) !== 'there') away.push(folder);
      return away;
    },
    async isAway(rootNumber) {
      const root = active.find(({ number }) => number === rootNumber);
      return root !== undefined && isAway(root);
    },
  };
}

const lookPatienceMs = 1_000;

/** Looks whether folders are there. One whose disk hangs is asked once until it answers. */
class FolderLooks {
  private readonly asked = new Map<string, Promise<'there' | 'empty' | 'away'>>();

  async look(folder: string): Promise<'there' | 'empty' | 'away'> {
    const look = this.asked.get(folder) ?? readFolder(folder);
    this.asked.set(folder, look);
    const answered = look.finally(() => this.asked.delete(folder));
    return Promise.race([answered, pause(lookPatienceMs, 'away' as const, { ref: false })]);
  }
}

async function readFolder(path: string): Promise<'there' | 'empty' | 'away'> {
  try {
    await using folder = await opendir(path);
    return (await folder.read()) === null ? 'empty' : 'there';
  } catch {
    return 'away';
  }
}

/**
 * Serves the demo while no library is configured and the library has no other videos (Decisions,
 * Listening).
 */
async function refreshDemo(
  database: Database,
  idSets: IdSets,
  clock: Clock,
  { folders, stores, demoFolder }: LibrarySettings,
): Promise<void> {
  const isWanted = await isDemoWanted(database, { folders, stores });
  if (isWanted) await ensureRoot(database, clock, { folder: demoFolder, kind: 'demo' });
  await switchRoots(database, idSets, 'demo', (root) => isWanted && root.folder === demoFolder);
}

async function isDemoWanted(
  database: Database,
  { folders, stores }: Pick<LibrarySettings, 'folders' | 'stores'>,
): Promise<boolean> {
  return folders.length === 0 && stores.length === 0 && !(await rootRepository.hasOwnVideos(database.reader));
}

/** Whether the stored roots are those of the settings already: then nothing is written. */
async function isAligned(database: Database, settings: LibrarySettings): Promise<boolean> {
  const { folders, stores, demoFolder } = settings;
  const roots = await rootRepository.list(database.reader);
  const demo = (await isDemoWanted(database, settings)) ? [demoFolder] : [];
  const wanted = { folder: folders, store: stores, demo, uploads: null };
  const isAsWanted = ({ kind, folder, isActive }: KnownRoot) => isActive === (wanted[kind]?.includes(folder) ?? true);
  const isThere = (folder: string) => roots.some((root) => root.folder === folder);
  return (
    roots.every(isAsWanted) &&
    roots.some(({ kind }) => kind === 'uploads') &&
    [...folders, ...stores, ...demo].every(isThere)
  );
}

async function ensureRoot(database: Database, clock: Clock, { folder, kind }: Omit<WantedRoot, 'name'>): Promise<void> {
  const known = await rootRepository.list(database.reader);
  if (known.some((root) => (kind === 'uploads' ? root.kind === kind : root.folder === folder))) return;
  const isNamed = kind === 'folder' || kind === 'store';
  const name = nameRoot(isNamed ? basename(folder) : kind, new Set(known.map((root) => root.name)));
  await database.write((transaction) => rootRepository.add(transaction, { name, folder, kind }, clock.now()));
}

async function switchRoots(
  database: Database,
  idSets: IdSets,
  kind: ServedRoot['kind'],
  isWanted: (root: ServedRoot) => boolean,
): Promise<void> {
  for (const root of await rootRepository.list(database.reader)) {
    if (root.kind === kind && root.isActive !== isWanted(root)) await switchRoot(idSets, root.number, isWanted(root));
  }
}

/**
 * Switches a root with its videos and, for the demo, its channels. The row of the root comes after
 * the videos, so that an interrupted switch is repeated.
 */
async function switchRoot(idSets: IdSets, number: number, isActive: boolean): Promise<void> {
  await alignVideos(idSets.write, number, isActive);
  const tags = await idSets.write(async (transaction) => {
    await rootRepository.setActive(transaction, number, isActive ? 1 : 0);
    const switched = await tagRepository.setManyActive(transaction, number, isActive ? 1 : 0);
    if (switched.length > 0) await bumpRevision(transaction, 'tags');
    return switched;
  });
  for (const tag of tags) await idSets.alignUntagged(tag);
}

/**
 * Marks a root whose folder cannot be read: it keeps its rows, but its videos are unavailable until
 * it is back.
 */
export async function noteRootMissing(
  write: WriteWithSets,
  number: number,
  missingSince: number | null,
): Promise<void> {
  await alignVideos(write, number, missingSince === null);
  await write((transaction) => rootRepository.setMissing(transaction, number, missingSince));
}

const sliceLength = 1_000;

async function alignVideos(write: WriteWithSets, rootNumber: number, isRootThere: boolean): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const from: number = after;
    after = await write((transaction, changes) =>
      availabilityRepository.align(transaction, changes, {
        rootNumber,
        isRootThere,
        afterNumber: from,
        limit: sliceLength,
      }),
    );
  }
}

/** Names a root by the last part of its path, with a suffix if that name is taken. */
export function nameRoot(folder: string, taken: ReadonlySet<string>): string {
  const base = folder.split('/').filter(Boolean).at(-1) ?? 'library';
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(name)) return name;
  }
}
