import type { BigIntStats, Dirent } from 'node:fs';
import { lstatSync, opendirSync, readdirSync, realpathSync, statfsSync, statSync } from 'node:fs';
import type { FileVersion } from '../../storage/open-for-reading.ts';
import { fileVersionOf } from '../../storage/open-for-reading.ts';

/** A name on the disk: text where its bytes are UTF-8, else the bytes themselves. */
export type FilePath = string | Buffer;

/** `other` is whatever holds no bytes of its own: a pipe, a device. */
type EntryKind = 'file' | 'folder' | 'link' | 'other';

export interface NamedEntry {
  /** As it is stored, see `textFromName`. */
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

/**
 * File names are bytes; paths in the database and on the wire are text. Valid UTF-8 stays as it is. Every other byte
 * becomes one character of U+10FF00 to U+10FFFF, which nobody uses; a name that does use them has them taken apart in
 * the same way, so that the way back is exact.
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

/** Whether a name has bytes that are no text. */
export function hasEscapedBytes(text: string): boolean {
  return text.search(escapes) !== -1;
}

/** The path of a file below a folder, for the file system: text as long as all of it is UTF-8, which is quicker. */
export function filePathOf(folder: string, path: string): string | Buffer {
  const file = path === '' ? folder : `${folder}/${path}`;
  return file.search(escapes) === -1 ? file : Buffer.concat([Buffer.from(`${folder}/`), nameFromText(path)]);
}

function nameFromCharacter(character: string): Buffer {
  const code = character.codePointAt(0) ?? 0;
  return code >= escapeBase ? Buffer.of(code - escapeBase) : Buffer.from(character);
}

/** One UTF-8 character each, or one byte where there is none. */
function* sequencesOf(name: Buffer): Generator<Buffer> {
  for (let at = 0; at < name.length; ) {
    const length = lengthOfCharacter(name, at);
    yield name.subarray(at, at + length);
    at += length;
  }
}

/** 1 also where the bytes are no character. */
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
 * The order in which both databases keep paths: by their bytes in UTF-8. Text in JavaScript is ordered by its UTF-16,
 * which is the same but for characters beyond U+FFFF.
 */
const surrogate = /[\ud800-\udfff]/;

/** Negative, 0 or positive. */
export function comparePaths(one: string, other: string): number {
  if (one === other) return 0;
  if (surrogate.test(one) || surrogate.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
}

/** Sorts in place. */
export function sortPaths(paths: string[]): string[] {
  return paths.some((path) => surrogate.test(path)) ? paths.sort(comparePaths) : paths.sort();
}
