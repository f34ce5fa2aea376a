import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { AlignmentAfterScan } from '#server/features/library/folder-channels/folder-alignment.ts';
import { folderChannelRepository } from '#server/features/library/folder-channels/folder-channel-repository.ts';
import { diskFiles } from '#server/features/library/library-files.ts';
import { createLibraryRoots } from '#server/features/library/library-roots.ts';
import { scanLibrary, scanSomePlaces } from '#server/features/library/scan/library-scan.ts';
import type { ScanTools } from '#server/features/library/scan/scan-run.ts';
import type { IdSets } from '#server/id-sets/id-sets.ts';
import type { WriteWithSets } from '#server/id-sets/write-slices.ts';
import { createIds } from '#server/ids.ts';
import { readFile } from '#server/media/file-reading.ts';
import { migratedDatabase } from '#tests/support/database/test-database.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth, startNode } from '../id-sets/id-sets-library.ts';

/** What is stored of a library, here or in a server. */
export interface StoredLibrary {
  database: Database;
  idSets: IdSets;
}

/** A library as its thread sees it, without a server. */
export interface FolderLibrary extends StoredLibrary {
  /** The first of its folders. */
  folder: string;
  address: DatabaseAddress;
  /** Looks through all folders, and makes their channels. */
  scan(): Promise<unknown>;
  /** Looks at some places of the first folder, as the watch does. */
  scanPlaces(...paths: string[]): Promise<unknown>;
}

export interface FolderLibraryOptions {
  folders?: readonly string[];
  /** Of a library that was open before, or is open elsewhere. */
  address?: DatabaseAddress;
  /** Stands in front of everything that is written. */
  onWrite?: () => void;
}

const deaf = { onProgress: () => {}, onFolder: () => {}, onReplaced: () => {}, onWarning: () => {} };

export async function openLibrary(options: FolderLibraryOptions = {}): Promise<FolderLibrary> {
  const { folders = [temporaryFolder()], onWrite = () => {} } = options;
  const address = options.address ?? (await migratedDatabase());
  const { database, sets: idSets, close } = await startNode(address);
  onTestFinished(close);
  await database.write((transaction) => folderChannelRepository.decideSwitch(transaction, 1));
  const alone = { during: <Value>(work: () => Promise<Value>) => work() };
  const roots = createLibraryRoots({ database, idSets, clock: systemClock }, alone, {
    folders,
    servesFolders: true,
    decides: () => true,
    stores: [],
    demoFolder: '/none',
    uploadsFolder: '/none/uploads',
  });
  await roots.align();
  const write: WriteWithSets = (work) => {
    onWrite();
    return idSets.write(work);
  };
  const headers: ScanTools['headers'] = {
    read: async (paths, described) => paths.map((path) => readFile(path, described?.has(path))),
  };
  const tools: ScanTools = { reader: database.reader, write, ids: createIds(systemClock), files: diskFiles, headers };
  const alignment = new AlignmentAfterScan(tools);
  const { signal } = new AbortController();
  const request = () => ({
    roots: roots.active().filter(({ kind }) => kind !== 'uploads'),
    demoChannelsFile: '',
    ownFolders: [],
    now: systemClock.now(),
    listedSince: null,
    foldersElsewhere: [],
  });
  const given = { now: 1, signal };
  return {
    folder: folders[0] ?? '',
    address,
    database,
    idSets,
    scan: () => alignment.aroundAll(() => scanLibrary(tools, request(), deaf, signal), given),
    scanPlaces: (...paths) => {
      const places = new Map([[roots.active().filter(({ kind }) => kind !== 'uploads')[0]?.number ?? 0, paths]]);
      return alignment.aroundSome(() => scanSomePlaces(tools, request(), places, deaf, signal), given);
    },
  };
}

/** A library that was scanned with files of these paths. */
export async function openWith(...names: string[]): Promise<FolderLibrary> {
  const library = await openLibrary();
  putVideos(library.folder, ...names);
  await library.scan();
  return library;
}

export function move(folder: string, from: string, to: string): void {
  mkdirSync(dirname(join(folder, to)), { recursive: true });
  renameSync(join(folder, from), join(folder, to));
}

/** The videos of each active tag by their paths; `!` stands behind those that people have put it on. */
export async function channelsOf({ database }: StoredLibrary): Promise<Record<string, string[]>> {
  const { reader } = database;
  const tags = await reader.selectFrom('tags').select(['number', 'name']).where('active', '=', 1).execute();
  const links = await reader
    .selectFrom('video_tags')
    .innerJoin('videos', 'videos.number', 'video_tags.video_number')
    .select(['tag_number', 'path', 'by_folder'])
    .execute();
  const pathsOf = (number: number) =>
    links
      .filter(({ tag_number }) => tag_number === number)
      .map(({ path, by_folder }) => (by_folder === 1 ? path : `${path}!`))
      .sort();
  return Object.fromEntries(tags.map(({ number, name }) => [name, pathsOf(number)]));
}

/** The sets in memory hold what the tables say. */
export async function expectSetsToAgree({ database, idSets }: StoredLibrary): Promise<void> {
  await idSets.catchUp();
  expect(differences(idSets, await readTruth(database))).toEqual([]);
}

/** Of the active one before one that is not. */
export async function tagNumberOf({ database }: StoredLibrary, name: string): Promise<number> {
  const row = await database.reader
    .selectFrom('tags')
    .select('number')
    .where('name', '=', name)
    .orderBy('active', 'desc')
    .executeTakeFirstOrThrow();
  return row.number;
}

export async function videoNumberOf({ database }: StoredLibrary, path: string): Promise<number> {
  const row = await database.reader
    .selectFrom('videos')
    .select('number')
    .where('path', '=', path)
    .executeTakeFirstOrThrow();
  return row.number;
}
