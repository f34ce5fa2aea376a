import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OpenedFile, SharedFile, Storage } from '#server/storage/storage.ts';
import { inSlices } from '#server/storage/storage.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** Proves what every storage promises. @param open gives an empty storage, or one of its own prefix */
export function provesStorage(open: () => Storage | Promise<Storage>): void {
  const never = new AbortController().signal;

  test('stores a file whole, says what it is, and removes it', async () => {
    const storage = await open();
    const before = Date.now();
    await storage.put('ab/one.mp4', inPieces('four', 'fold'), { bytes: 8, type: 'video/mp4' });
    const found = await storage.find('ab/one.mp4');
    expect(found?.bytes).toBe(8);
    // Clocks of stores may tell whole seconds, and may be some seconds off.
    expect(Math.abs((found?.modifiedUs ?? 0) / 1_000 - before)).toBeLessThan(60_000);
    expect((await storage.read('ab/one.mp4'))?.toString()).toBe('fourfold');
    await storage.remove('ab/one.mp4');
    await storage.remove('ab/one.mp4');
    expect([await storage.find('ab/one.mp4'), await storage.read('ab/one.mp4')]).toEqual([null, null]);
  });

  test('knows nothing of a file that was never stored, nor of a folder', async () => {
    const storage = await open();
    await storage.put('ab/one.mp4', inPieces('text'), { bytes: 4, type: 'video/mp4' });
    for (const name of ['ab', 'ab/on', 'ab/one.mp4.part', 'none'])
      expect([await storage.find(name), await storage.local(name, never)]).toEqual([null, null]);
    expect(await storage.open('none', { size: 4, modifiedUs: null })).toEqual({ kind: 'gone' });
  });

  test('replaces what had the name before', async () => {
    const storage = await open();
    await storage.put('one', inPieces('a long text'), { bytes: 11, type: 'text/vtt' });
    await storage.put('one', inPieces('short'), { bytes: 5, type: 'text/vtt' });
    expect((await storage.read('one'))?.toString()).toBe('short');
  });

  test('shows nothing of a file whose bytes break off', async () => {
    const storage = await open();
    const stored = storage.put('one', breakingOff(), { bytes: 8, type: 'text/vtt' });
    await expect(stored).rejects.toThrow('The bytes break off.');
    expect(await listNames(storage, '')).toEqual([]);
  });

  test('stores an empty file', async () => {
    const storage = await open();
    await storage.put('none', inPieces(), { bytes: 0, type: 'text/vtt' });
    expect([(await storage.find('none'))?.bytes, (await storage.read('none'))?.length]).toEqual([0, 0]);
  });

  test('takes over a finished file, which is gone from where it was', async () => {
    const storage = await open();
    const file = join(temporaryFolder(), 'finished');
    const bytes = someBytes(3_000_001);
    writeFileSync(file, bytes);
    await storage.publish(file, 'cd/film.mp4', 'video/mp4');
    expect(existsSync(file)).toBe(false);
    expect((await storage.find('cd/film.mp4'))?.bytes).toBe(bytes.length);
    const opened = await storage.open('cd/film.mp4', { size: bytes.length, modifiedUs: null });
    expect(sumOf(await readAll(opened, 0))).toBe(sumOf(bytes));
  });

  test('gives a part of a file from anywhere, and nothing past its end', async () => {
    const storage = await open();
    const bytes = someBytes(700_000);
    await storage.put('film', inPieces(bytes), { bytes: bytes.length, type: 'video/mp4' });
    const opened = await storage.open('film', { size: bytes.length, modifiedUs: null });
    expect(sumOf(await readAll(opened, 123_456))).toBe(sumOf(bytes.subarray(123_456)));
    const again = await storage.open('film', { size: bytes.length, modifiedUs: null });
    const file = sharedFile(again);
    expect(await file.read(Buffer.alloc(16), bytes.length)).toBe(0);
    const into = Buffer.alloc(16);
    for (const at of [600_000, 0, 300_000]) {
      let filled = 0;
      while (filled < into.length) filled += await file.read(into.subarray(filled), at + filled);
      expect(into.equals(bytes.subarray(at, at + 16))).toBe(true);
    }
    file.release();
  });

  test('opens no other file than the expected one', async () => {
    const storage = await open();
    await storage.put('one', inPieces('text'), { bytes: 4, type: 'text/vtt' });
    expect(await storage.open('one', { size: 5, modifiedUs: null })).toEqual({ kind: 'changed' });
    expect(await storage.open('one', { size: 4, modifiedUs: 1 })).toEqual({ kind: 'changed' });
    const { modifiedUs } = (await storage.find('one')) ?? { modifiedUs: 0 };
    sharedFile(await storage.open('one', { size: 4, modifiedUs })).release();
  });

  test('lists every file below a prefix, however deep, and no other', async () => {
    const storage = await open();
    const names = ['ab/one', 'ab/two', 'ab/c/three', 'abc', 'b/four', "odd/a +!'()*ä😀.mp4"];
    for (const name of names) await storage.put(name, inPieces('text'), { bytes: 4, type: 'text/vtt' });
    expect(await listNames(storage, '')).toEqual([...names].sort());
    expect(await listNames(storage, 'ab/')).toEqual(['ab/c/three', 'ab/one', 'ab/two']);
    expect(await listNames(storage, 'ab')).toEqual(['ab/c/three', 'ab/one', 'ab/two', 'abc']);
    expect(await listNames(storage, 'none/')).toEqual([]);
    for await (const file of storage.list(''))
      expect(file).toEqual({ name: file.name, ...(await storage.find(file.name)) });
    const slices: number[] = [];
    for await (const slice of inSlices(storage.list(''), 4)) slices.push(slice.length);
    expect(slices).toEqual([4, 2]);
  });

  test('keeps a file on this machine for as long as a program reads it', async () => {
    const storage = await open();
    const bytes = someBytes(200_000);
    await storage.put('film', inPieces(bytes), { bytes: bytes.length, type: 'video/mp4' });
    await using local = await storage.local('film', never);
    expect(readFileSync(local?.path ?? '').equals(bytes)).toBe(true);
  });

  test('gives one name whole to whoever stores it last, however many do so at once', async () => {
    const storage = await open();
    const texts = ['first', 'other', 'third'];
    await Promise.all(texts.map((text) => storage.put('one', inPieces(text), { bytes: 5, type: 'text/vtt' })));
    expect(texts).toContain((await storage.read('one'))?.toString());
    expect(await listNames(storage, '')).toEqual(['one']);
  });
}

async function listNames(storage: Storage, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of storage.list(prefix)) names.push(name);
  return names.sort();
}

async function* inPieces(...pieces: (string | Buffer)[]) {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function* breakingOff() {
  yield Buffer.from('four');
  throw new Error('The bytes break off.');
}

function someBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 2_654_435_761) >>> 24;
  return bytes;
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function sharedFile(opened: OpenedFile): SharedFile {
  if (opened.kind !== 'opened') throw new Error(`The file is ${opened.kind}.`);
  return opened.file;
}

/** What a file holds from a position to its end. */
async function readAll(opened: OpenedFile, start: number): Promise<Buffer> {
  const file = sharedFile(opened);
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const piece = Buffer.alloc(65_536);
    const length = await file.read(piece, at);
    if (length === 0) break;
    pieces.push(piece.subarray(0, length));
    at += length;
  }
  file.release();
  return Buffer.concat(pieces);
}
