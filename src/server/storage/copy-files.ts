import { createHash } from 'node:crypto';
import type { ListedFile, OpenedFile, Storage } from './storage.ts';

/** Files that are copied at a time. */
const copiedTogether = 8;
const readBytes = 256 * 1024;

/** The files that a storage has and another one lacks. */
export interface CopyPlan {
  files: readonly ListedFile[];
  bytes: number;
}

/** The result of a copy. */
export interface CopyOutcome {
  copied: number;
  bytes: number;
  /** Names of files that are not in the target after all, with the reasons. */
  failed: { name: string; reason: unknown }[];
}

/**
 * Lists the files that the target lacks, or has with another length.
 * @param isWanted leaves out files of work in progress
 */
export async function planCopy(
  from: Storage,
  to: Storage,
  isWanted: (name: string) => boolean = () => true,
): Promise<CopyPlan> {
  const present = new Map<string, number>();
  for await (const { name, bytes } of to.list('')) present.set(name, bytes);
  const files: ListedFile[] = [];
  for await (const file of from.list(''))
    if (isWanted(file.name) && present.get(file.name) !== file.bytes) files.push(file);
  return { files, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
}

/**
 * Copies files with their times, eight at a time, and compares what the target then holds with what
 * was sent.
 * Deletes nothing. A file that vanishes meanwhile is not missed.
 * @param typeOf the media type of a name
 * @param onCopied is called after each file, with its bytes
 */
export async function copyFiles(
  { files }: CopyPlan,
  { from, to, typeOf, onCopied }: CopyTask,
  signal: AbortSignal,
): Promise<CopyOutcome> {
  const outcome: CopyOutcome = { copied: 0, bytes: 0, failed: [] };
  const left = files[Symbol.iterator]();
  const copyInTurn = async () => {
    for (const file of left) {
      if (signal.aborted) return;
      try {
        if (!(await copyFile(file, { from, to, typeOf }))) continue;
        outcome.copied += 1;
        outcome.bytes += file.bytes;
        onCopied?.(file.bytes);
      } catch (reason) {
        outcome.failed.push({ name: file.name, reason });
      }
    }
  };
  await Promise.all(Array.from({ length: copiedTogether }, copyInTurn));
  return outcome;
}

interface CopyTask {
  from: Storage;
  to: Storage;
  typeOf(name: string): string;
  onCopied?(bytes: number): void;
}

/** @returns false for a file that is gone */
async function copyFile({ name, bytes }: ListedFile, { from, to, typeOf }: CopyTask): Promise<boolean> {
  const found = await from.find(name);
  if (found === null) return false;
  const modifiedUs = found.copiedUs ?? found.modifiedUs;
  const expected = { size: bytes, modifiedUs: null };
  const opened = await from.open(name, expected);
  if (opened.kind === 'gone') return false;
  const sent = createHash('sha256');
  await to.put(name, readAll(opened, sent), { bytes, type: typeOf(name), modifiedUs });
  const stored = createHash('sha256');
  for await (const _ of readAll(await to.open(name, expected), stored));
  if (sent.digest('hex') === stored.digest('hex')) return true;
  // Its length is right, so that the next run would take it for a copy.
  await to.remove(name);
  throw new Error('The copy holds other bytes than the file.');
}

/** Reads a file to its end and adds its bytes to a sum. */
async function* readAll(opened: OpenedFile, sum: { update(bytes: Uint8Array): unknown }): AsyncIterable<Uint8Array> {
  if (opened.kind !== 'opened') throw new Error(`The file is ${opened.kind}.`);
  try {
    for (let at = 0; ; ) {
      const buffer = Buffer.allocUnsafe(readBytes);
      const length = await opened.file.read(buffer, at);
      if (length === 0) return;
      const bytes = buffer.subarray(0, length);
      sum.update(bytes);
      yield bytes;
      at += length;
    }
  } finally {
    opened.file.release();
  }
}
