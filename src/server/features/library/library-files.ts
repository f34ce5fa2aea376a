import type { BigIntStats, Dirent } from 'node:fs';
import { lstatSync, opendirSync, readdirSync, realpathSync, statfsSync, statSync } from 'node:fs';
import type { FileVersion } from '../../storage/file-version.ts';
import { fileVersionOf } from '../../storage/file-version.ts';
import { textFromName } from './paths/file-names.ts';

/** A name on the disk: text where its bytes are UTF-8, else the bytes themselves. */
export type FilePath = string | Buffer;

/** `other` is whatever holds no bytes of its own: a pipe, a device. */
type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface NamedEntry {
  /** As it is stored, see `file-names.ts`. */
  name: string;
  kind: EntryKind;
}

export interface FileFacts extends FileVersion {
  kind: EntryKind;
  /** Below 2^53. */
  inode: number;
  /** Names the file system that it is in. */
  device: string;
}

/** The disk as the library sees it. All of it waits for the disk: it is meant for a thread of its own. */
export interface LibraryFiles {
  /** In any order. @throws when the folder cannot be read */
  list(folder: FilePath): NamedEntry[];
  /** The entry itself, not what a link leads to. Null when there is none. @throws for a disk that fails */
  look(file: FilePath): FileFacts | null;
  /** What a link leads to. Null when that is nowhere. @throws for a disk that fails */
  follow(file: FilePath): FileFacts | null;
  /** Free of links. @throws when it is not there */
  realPath(file: FilePath): Buffer;
  /** Whether others may change it without this machine being told: a share, a folder of the machine around this one. */
  isRemote(folder: FilePath): boolean;
}

export const diskFiles: LibraryFiles = {
  list: (folder) =>
    listQuickly(folder) ?? readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map(toEntry),
  look: (file) => nullWhenNowhere(() => toFacts(lstatSync(file, { bigint: true }))),
  follow: (file) => nullWhenNowhere(() => toFacts(statSync(file, { bigint: true }))),
  realPath: (file) => realpathSync(file, 'buffer'),
  isRemote: (folder) => remoteTypes.has(statfsSync(folder).type),
};

const namesAtOnce = 1_024;

/**
 * Null where a file system does not say what kind of thing a name is: then each is looked at, which wants its exact
 * bytes.
 */
function listQuickly(folder: FilePath): NamedEntry[] | null {
  // latin1: one byte a character, which keeps what is not UTF-8.
  using opened = opendirSync(folder, { encoding: 'latin1', bufferSize: namesAtOnce });
  const entries: NamedEntry[] = [];
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) entries.push(toEntry(entry));
    return entries;
  } catch (error) {
    if (isNowhere(error)) return null;
    throw error;
  }
}

const plainName = /^[ -~]*$/;

function toEntry(entry: Dirent<string | Buffer>): NamedEntry {
  const { name } = entry;
  const isPlain = typeof name === 'string' && plainName.test(name);
  return {
    name: isPlain ? name : textFromName(typeof name === 'string' ? Buffer.from(name, 'latin1') : name),
    kind: kindOf(entry),
  };
}

function toFacts(stats: BigIntStats): FileFacts {
  return {
    kind: kindOf(stats),
    ...fileVersionOf(stats),
    inode: Number(BigInt.asUintN(53, stats.ino)),
    device: String(stats.dev),
  };
}

function kindOf(thing: Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): EntryKind {
  if (thing.isFile()) return 'file';
  if (thing.isDirectory()) return 'folder';
  return thing.isSymbolicLink() ? 'link' : 'other';
}

function nullWhenNowhere<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (isNowhere(error)) return null;
    throw error;
  }
}

const nowhere = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG']);

/** There is nothing, or nothing that this process may see; everything else is a disk that fails at the moment. */
export function isNowhere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && nowhere.has(String(error.code));
}

/** linux/magic.h: NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Ceph, VirtualBox. */
const remoteTypes = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x5346414f, 0x00c36400, 0x786f4256,
]);
