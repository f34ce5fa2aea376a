import {
  linkSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { LibraryVideo } from '#server/features/videos/video.ts';
import { SharedFiles } from '#server/storage/shared-files.ts';
import type { OpenedFile, SharedFile } from '#server/storage/storage.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => void vi.useRealTimers());

const placeOf = (name: string) => ({ folder, file: Buffer.from(join(folder, name)) });

/** A file, and the row that a scan would make of it. */
function put(name: string, text: string): LibraryVideo {
  writeFileSync(join(folder, name), text);
  return scanned(name);
}

function scanned(name: string): LibraryVideo {
  const { size, mtimeNs } = statSync(join(folder, name), { bigint: true });
  return { size: Number(size), modifiedUs: Number(mtimeNs / 1000n) } as LibraryVideo;
}

function opened(result: OpenedFile): SharedFile {
  if (result.kind !== 'opened') throw new Error(`It is ${result.kind}.`);
  return result.file;
}

async function readText(file: SharedFile): Promise<string> {
  const into = Buffer.alloc(100);
  return into.toString('utf8', 0, await file.read(into, 0));
}

function descriptorsOf(name: string): number {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(join(folder, name))).length;
}

describe('a file that many read', () => {
  test('has one descriptor, which is closed a moment after the last has gone', async () => {
    const video = put('a.mp4', 'bytes');
    const files = new SharedFiles(systemClock, { idleMs: 20 });
    const shared = (await Promise.all(Array.from({ length: 40 }, () => files.open(video, placeOf('a.mp4'))))).map(
      opened,
    );
    expect([files.size, descriptorsOf('a.mp4')]).toEqual([1, 1]);
    for (const file of shared.slice(1)) file.release();
    expect(await readText(shared[0] as SharedFile)).toBe('bytes');
    shared[0]?.release();
    expect(files.size).toBe(1);
    await vi.waitFor(() => expect([files.size, descriptorsOf('a.mp4')]).toEqual([0, 0]));
  });

  test('keeps its descriptor from one range to the next', async () => {
    const video = put('a.mp4', 'bytes');
    const files = new SharedFiles(systemClock, { idleMs: 60_000, trustMs: 0 });
    onTestFinished(() => files.closeIdle());
    for (let range = 0; range < 3; range += 1) opened(await files.open(video, placeOf('a.mp4'))).release();
    expect(descriptorsOf('a.mp4')).toBe(1);
  });
});

test('no more descriptors rest than the limit says, and none are left when the server stops', async () => {
  const files = new SharedFiles(systemClock, { idleMs: 60_000, idleFiles: 3 });
  for (let index = 0; index < 10; index += 1)
    opened(await files.open(put(`${index}.mp4`, 'bytes'), placeOf(`${index}.mp4`))).release();
  await vi.waitFor(() => expect(descriptorsOf('')).toBe(3));
  await files.closeIdle();
  expect([files.size, descriptorsOf('')]).toEqual([0, 0]);
});

test('a file that is named by its content is known by its size, whatever its date', async () => {
  const { size } = put('a.mp4', 'bytes');
  const files = new SharedFiles(systemClock, { idleMs: 60_000, trustMs: 0 });
  onTestFinished(() => files.closeIdle());
  opened(await files.open({ size, modifiedUs: null }, placeOf('a.mp4'))).release();
  utimesSync(join(folder, 'a.mp4'), 1, 1);
  opened(await files.open({ size, modifiedUs: null }, placeOf('a.mp4'))).release();
  expect((await files.open({ size: size + 1, modifiedUs: null }, placeOf('a.mp4'))).kind).toBe('changed');
});

describe('a file that was replaced', () => {
  test('is never sent from the old descriptor, while those who read it go on with the old bytes', async () => {
    const old = put('a.mp4', 'old bytes');
    const files = new SharedFiles(systemClock, { idleMs: 60_000, trustMs: 0 });
    onTestFinished(() => files.closeIdle());
    const reading = opened(await files.open(old, placeOf('a.mp4')));
    put('new.mp4', 'new');
    renameSync(join(folder, 'new.mp4'), join(folder, 'a.mp4'));
    expect((await files.open(old, placeOf('a.mp4'))).kind).toBe('changed');
    const fresh = opened(await files.open(scanned('a.mp4'), placeOf('a.mp4')));
    expect([await readText(fresh), await readText(reading)]).toEqual(['new', 'old bytes']);
    reading.release();
    fresh.release();
    await vi.waitFor(() => expect(files.size).toBe(1));
  });

  test('by a link out of the library is refused, though a descriptor of it is still open', async () => {
    const video = put('a.mp4', 'bytes');
    const outside = temporaryFolder();
    const files = new SharedFiles(systemClock, { idleMs: 60_000, trustMs: 0 });
    onTestFinished(() => files.closeIdle());
    opened(await files.open(video, placeOf('a.mp4'))).release();
    writeFileSync(join(outside, 'a.mp4'), 'other');
    rmSync(join(folder, 'a.mp4'));
    symlinkSync(join(outside, 'a.mp4'), join(folder, 'a.mp4'));
    expect((await files.open(video, placeOf('a.mp4'))).kind).not.toBe('opened');
    expect((await files.open(scanned('a.mp4'), placeOf('a.mp4'))).kind).toBe('gone');
  });

  test('by nothing, a folder or more bytes is told apart', async () => {
    const video = put('a.mp4', 'bytes');
    linkSync(join(folder, 'a.mp4'), join(folder, 'b.mp4'));
    const files = new SharedFiles(systemClock, { idleMs: 60_000, trustMs: 0 });
    onTestFinished(() => files.closeIdle());
    for (const name of ['a.mp4', 'b.mp4']) opened(await files.open(video, placeOf(name))).release();
    writeFileSync(join(folder, 'b.mp4'), 'more', { flag: 'a' });
    expect((await files.open(video, placeOf('b.mp4'))).kind).toBe('changed');
    rmSync(join(folder, 'a.mp4'));
    expect((await files.open(video, placeOf('a.mp4'))).kind).toBe('gone');
    expect((await files.open(video, placeOf('.'))).kind).toBe('gone');
    // A file that nobody reads any more is closed without a wait.
    await vi.waitFor(() => expect(descriptorsOf('a.mp4')).toBe(0));
  });
});
