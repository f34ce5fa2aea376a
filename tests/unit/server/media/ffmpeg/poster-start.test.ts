import { readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { createFfmpeg } from '#server/media/ffmpeg/ffmpeg.ts';
import { makePoster } from '#server/media/ffmpeg/poster.ts';
import { createWorkFolders } from '#server/media/ffmpeg/work-folders.ts';
import { RemoteCopies } from '#server/storage/remote-copies.ts';
import type { RemoteReader } from '#server/storage/remote-file.ts';
import { startBytes } from '#server/storage/remote-start.ts';
import { ffmpegs, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const mebibyte = 1024 * 1024;
const noAbort = new AbortController().signal;

/** Gives a file as a store does, and counts the bytes that it was asked for. */
function readerOf(file: Buffer): RemoteReader & { asked: number } {
  return {
    asked: 0,
    head: async () => ({ bytes: file.length, modifiedUs: 1 }),
    async get(_, window) {
      const bytes = window === null ? file : file.subarray(window.start, window.end + 1);
      this.asked += bytes.length;
      return { bytes: [bytes.subarray(0, 5), bytes.subarray(5)].values() as never, size: file.length, modifiedUs: 1 };
    },
  };
}

describe.each(ffmpegs.slice(0, 1))('with %s, a poster of a file that lies in a store', (program) => {
  const folder = temporaryFolder(afterFile);
  const copies = join(folder, 'copies');
  const folders = createWorkFolders(join(folder, 'work'), systemClock);
  const ffmpeg = createFfmpeg({ configured: program, searchPath: '', folders });
  const source = { durationMs: 20_000, videoCodec: 'avc' };

  beforeAll(() => {
    // Noise at 12 Mbit/s, with a key frame at each second.
    const noise = 'testsrc2=s=640x360:r=10:d=20,noise=alls=80:allf=t';
    const coded = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '10', '-b:v', '12M', '-pix_fmt', 'yuv420p'];
    makeWithFfmpeg(join(folder, 'end.mp4'), '-f', 'lavfi', '-i', noise, ...coded);
    const copy = ['-i', join(folder, 'end.mp4'), '-c', 'copy'];
    makeWithFfmpeg(join(folder, 'begin.mp4'), ...copy, '-movflags', 'faststart');
    makeWithFfmpeg(join(folder, 'film.mkv'), ...copy);
    makeWithFfmpeg(join(folder, 'fragments.mp4'), ...copy, '-movflags', 'frag_keyframe+empty_moov');
  });

  async function fromStart(file: Buffer, bytes: number) {
    const reader = readerOf(file);
    const remote = new RemoteCopies(copies, async () => 64 * mebibyte);
    await using local = await remote.holdStart(reader, 'film', { size: file.length, bytes }, noAbort);
    if (local === null) return null;
    await using handle = await open(local.path);
    expect((await handle.stat()).size).toBe(file.length);
    const attempt = await makePoster(ffmpeg, { ...source, file: handle, isStart: true }, noAbort).catch(() => null);
    return attempt?.kind === 'made' ? { webp: attempt.webp, asked: reader.asked } : null;
  }

  async function fromWhole(name: string) {
    await using handle = await open(join(folder, name));
    const attempt = await makePoster(ffmpeg, { ...source, file: handle }, noAbort);
    return attempt.kind === 'made' ? attempt.webp : null;
  }

  test.each(['end.mp4', 'begin.mp4', 'film.mkv', 'fragments.mp4'])(
    'is the same of its first bytes and its index: %s',
    async (name) => {
      const file = readFileSync(join(folder, name));
      const bytes = 18 * mebibyte;
      const made = await fromStart(file, bytes);
      expect(made?.webp.equals((await fromWhole(name)) ?? Buffer.alloc(0))).toBe(true);
      expect(made?.asked).toBeLessThan(bytes + mebibyte);
      expect(readdirSync(copies)).toEqual([]);
    },
  );

  test('is none where its picture is cut off, and never a damaged one', async () => {
    const file = readFileSync(join(folder, 'end.mp4'));
    const whole = await fromWhole('end.mp4');
    let [none, enough] = [12 * mebibyte, 18 * mebibyte];
    expect(await fromStart(file, none)).toBeNull();
    // Ends within the picture, whichever bytes it has.
    while (enough - none > 2_000) {
      const bytes = Math.round((none + enough) / 2);
      const made = await fromStart(file, bytes);
      if (made !== null) expect(made.webp.equals(whole ?? Buffer.alloc(0))).toBe(true);
      if (made === null) none = bytes;
      else enough = bytes;
    }
  });

  test('takes a whole file where its first bytes would be half of it, or too many', () => {
    expect(startBytes(12 * mebibyte, 10_000, 60_000)).toBeNull();
    expect(startBytes(400 * mebibyte, 10_000, 20_000)).toBeNull();
    expect(startBytes(700 * mebibyte, 10_000, 5_400_000)).toBeLessThan(14 * mebibyte);
    expect(startBytes(700 * mebibyte, 0, null)).toBe(8 * mebibyte);
  });

  test('is given up where nothing leads to the index', async () => {
    const file = readFileSync(join(folder, 'end.mp4'));
    file.writeUInt32BE(4, 40);
    expect(await fromStart(file, mebibyte)).toBeNull();
    expect(readdirSync(copies)).toEqual([]);
  });
});
