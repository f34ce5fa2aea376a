import { hash } from 'node:crypto';
import { closeSync, fstatSync } from 'node:fs';
import { openForReadingSync } from '../storage/open-for-reading.ts';
import type { ByteSource } from './containers/byte-window.ts';
import { byteSourceOf } from './containers/byte-window.ts';
import type { Probe } from './probe.ts';
import { probe, unread } from './probe.ts';
import type { SidecarTexts } from './sidecar-file.ts';
import { readSidecarTexts } from './sidecar-file.ts';
import type { UnplayableReason } from './unplayable.ts';

/** An absolute path: a string if it is valid UTF-8, otherwise the file system's bytes. */
export type FilePath = string | Uint8Array;

/** The result of reading a file's headers and samples. */
export interface FileReading {
  probe: Probe;
  /** Null if there was nothing to read. */
  fingerprint: string | null;
  sidecar: SidecarTexts;
}

/** The result for a file that was not read. */
export function unreadFile(reason: UnplayableReason): FileReading {
  return { probe: unread(reason), fingerprint: null, sidecar: noTexts };
}

const noTexts: SidecarTexts = { title: null, description: null };

/**
 * Opens a file, reads its headers and its fingerprint, and closes it. Never throws.
 * @param hasTexts whether to read the texts in the files beside it, too
 */
export function readFile(path: FilePath, hasTexts = false): FileReading {
  const file = Buffer.from(path);
  let descriptor: number | null = null;
  try {
    descriptor = openForReadingSync(file);
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) return unreadFile('not_a_video');
    const source = byteSourceOf(descriptor, facts.size);
    const sidecar = hasTexts ? readSidecarTexts(file) : noTexts;
    return { probe: probe(source), fingerprint: fingerprint(source), sidecar };
  } catch {
    return unreadFile('unreadable');
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Blocks of a file that lies elsewhere, as far as they have been fetched. */
export interface FetchedBlocks {
  size: number;
  /** The index of a block is its position in `blockBytes`, which all but the last one have. */
  blocks: ReadonlyMap<number, Uint8Array>;
}

export const blockBytes = 64 * 1024;

/** The reading of a file, or the index of the block that it lacks. Never throws. */
export function readBlocks(file: FetchedBlocks): FileReading | { missing: number } {
  const source: ByteSource = { size: file.size, read: (into, at) => copyBlocks(file, into, at) };
  try {
    return { probe: probe(source), fingerprint: fingerprint(source), sidecar: noTexts };
  } catch (error) {
    return error instanceof MissingBlock ? { missing: error.index } : unreadFile('unreadable');
  }
}

class MissingBlock extends Error {
  readonly index: number;

  constructor(index: number) {
    super('A block of the file has not been fetched.');
    this.index = index;
  }
}

function copyBlocks({ size, blocks }: FetchedBlocks, into: Uint8Array, at: number): number {
  const length = Math.max(0, Math.min(into.length, size - at));
  for (let filled = 0; filled < length; ) {
    const index = Math.floor((at + filled) / blockBytes);
    const block = blocks.get(index);
    if (block === undefined) throw new MissingBlock(index);
    const start = at + filled - index * blockBytes;
    const bytes = block.subarray(start, start + length - filled);
    if (bytes.length === 0) throw new RangeError('The file is shorter than it was.');
    into.set(bytes, filled);
    filled += bytes.length;
  }
  return length;
}

/** Size of a sample. Hashing the three samples of a file takes a tenth of a millisecond. */
const sampleBytes = 16 * 1024;

/**
 * Identifies a file, so that a moved file is not taken for a new one. The fingerprint covers the
 * size and the bytes at the start, in the middle and at the end, as 32 hexadecimal characters.
 * Headers and compressed frames differ between any two videos; files that differ only elsewhere,
 * and copies, have the same fingerprint. Null for an empty file.
 * @throws what `source.read` throws, and RangeError if the file is shorter than its size
 */
export function fingerprint(source: ByteSource): string | null {
  if (source.size === 0) return null;
  const samples = samplesOf(source.size);
  const bytes = Buffer.allocUnsafe(8 + samples.reduce((length, [start, end]) => length + end - start, 0));
  bytes.writeDoubleBE(source.size);
  let filled = 8;
  for (const [start, end] of samples) {
    readAll(source, bytes.subarray(filled, filled + end - start), start);
    filled += end - start;
  }
  return hash('sha256', bytes, 'hex').slice(0, 32);
}

/** The whole of a small file, three samples of a larger one. */
function samplesOf(size: number): [start: number, end: number][] {
  if (size <= 3 * sampleBytes) return [[0, size]];
  const middle = Math.floor((size - sampleBytes) / 2);
  return [0, middle, size - sampleBytes].map((start) => [start, start + sampleBytes]);
}

function readAll(source: ByteSource, into: Uint8Array, at: number): void {
  for (let filled = 0; filled < into.length; ) {
    const got = source.read(into.subarray(filled), at + filled);
    if (got === 0) throw new RangeError('The file is shorter than it was.');
    filled += got;
  }
}
