import type { BigIntStats, Dirent } from 'node:fs';
import { lstatSync, opendirSync, readdirSync, realpathSync, statfsSync, statSync } from 'node:fs';
import type { FileVersion } from '../../storage/open-for-reading.ts';
import { fileVersionOf } from '../../storage/open-for-reading.ts';

/** A filename on the disk: text if its bytes are UTF-8, else the bytes. */
export type LibraryFilePath = string | Buffer;

/** `other` is everything without bytes of its own, such as a pipe or a device. */
type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface NamedEntry {
  /** The name as it is stored, see `textFromName`. */
  name: string;
  kind: EntryKind;
}

export interface FileFacts extends FileVersion {
  kind: EntryKind;
  /** Less than 2^53. */
  inode: number;
  /** Identifies its file system. */
  device: string;
}

/** The file system as the library uses it. All calls are synchronous, for a thread of their own. */
export interface LibraryFiles {
  /** Lists a folder in any order. @throws when the folder cannot be read */
  list(folder: LibraryFilePath): NamedEntry[];
  /**
   * The entry itself, not the target of a link; null when there is none.
   * @throws when the disk fails
   */
  look(file: LibraryFilePath): FileFacts | null;
  /** The target of a link; null when there is none. @throws when the disk fails */
  follow(file: LibraryFilePath): FileFacts | null;
  /** The path without links. @throws when it does not exist */
  realPath(file: LibraryFilePath): Buffer;
  /**
   * Whether another machine may change the folder without notice, as on a network share or a folder
   * shared by the host.
   */
  isRemote(folder: LibraryFilePath): boolean;
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
 * Lists a folder with the types of its entries. Returns null when the file system does not report
 * types: then each entry is inspected by its exact bytes.
 */
function listQuickly(folder: LibraryFilePath): NamedEntry[] | null {
  // latin1 maps each byte to one character, which preserves names that are not UTF-8.
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

/**
 * True when nothing exists at the path, or nothing that this process may see; other errors mean
 * that the disk fails.
 */
export function isNowhere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && nowhere.has(String(error.code));
}

/** File system types of linux/magic.h: NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Ceph, VirtualBox. */
const remoteTypes = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x5346414f, 0x00c36400, 0x786f4256,
]);

/**
 * File names are bytes; paths in the database and on the wire are text. Valid UTF-8 stays as it is.
 * Every other byte becomes a character from U+10FF00 to U+10FFFF, which are unused in practice; a
 * name that does contain them has their bytes escaped in the same way, so that the conversion is
 * reversible.
 */
const escapeBase = 0x10ff00;
const escapes = /[\u{10ff00}-\u{10ffff}]/gu;

export function textFromName(name: Buffer): string {
  const text = name.toString('utf8');
  if (!text.includes('\ufffd') && text.search(escapes) === -1) return text;
  return [...sequencesOf(name)].map(textFromSequence).join('');
}

export function nameFromText(text: string): Buffer {
  if (text.search(escapes) === -1) return Buffer.from(text);
  return Buffer.concat(Array.from(text, (character) => nameFromCharacter(character)));
}

/** Whether a name has bytes that are not UTF-8. */
export function hasEscapedBytes(text: string): boolean {
  return text.search(escapes) !== -1;
}

/**
 * The path of a file below a folder, for the file system: text if all of it is UTF-8, which is
 * faster.
 */
export function filePathOf(folder: string, path: string): string | Buffer {
  const file = path === '' ? folder : `${folder}/${path}`;
  return file.search(escapes) === -1 ? file : Buffer.concat([Buffer.from(`${folder}/`), nameFromText(path)]);
}

function nameFromCharacter(character: string): Buffer {
  const code = character.codePointAt(0) ?? 0;
  return code >= escapeBase ? Buffer.of(code - escapeBase) : Buffer.from(character);
}

/** Yields the bytes of each UTF-8 character, and every other byte by itself. */
function* sequencesOf(name: Buffer): Generator<Buffer> {
  for (let at = 0; at < name.length; ) {
    const length = lengthOfCharacter(name, at);
    yield name.subarray(at, at + length);
    at += length;
  }
}

/** Returns 1 for bytes that form no character. */
function lengthOfCharacter(name: Buffer, at: number): number {
  for (const length of [2, 3, 4]) {
    const sequence = name.subarray(at, at + length);
    if (sequence.length === length && isOneCharacter(sequence)) return length;
  }
  return 1;
}

function isOneCharacter(sequence: Buffer): boolean {
  const text = sequence.toString('utf8');
  return [...text].length === 1 && Buffer.from(text).equals(sequence);
}

function textFromSequence(sequence: Buffer): string {
  const text = sequence.toString('utf8');
  const isPlain = Buffer.from(text).equals(sequence) && text.search(escapes) === -1;
  return isPlain ? text : Array.from(sequence, (byte) => String.fromCodePoint(escapeBase + byte)).join('');
}

/*
 * The order in which both databases sort paths: by their UTF-8 bytes. JavaScript sorts text by
 * UTF-16, which differs only for characters above U+FFFF.
 */
const surrogate = /[\ud800-\udfff]/;

/** Returns a negative number, 0 or a positive number. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  if (surrogate.test(one) || surrogate.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Sorts in place. */
export function sortPaths(paths: string[]): string[] {
  return paths.some((path) => surrogate.test(path)) ? paths.sort(comparePaths) : paths.sort();
}
