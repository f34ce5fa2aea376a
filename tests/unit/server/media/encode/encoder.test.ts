import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeFile, encoderUnderTest } from '#tests/support/media/encoder-under-test.ts';
import { ffmpegs, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe.each(ffmpegs)('with %s', (program) => {
  const ready = encoderUnderTest(program, { atEnd: afterAll });

  test('says what encodes', async () => {
    expect(await ready.encoder.facts()).toEqual({ encoder: 'libx264', isHardware: false, mapsTones: true });
  });

  test('makes grid and storyboard', async () => {
    const file = makeWithFfmpeg(
      join(temporaryFolder(), 'a.avi'),
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=1280x720:r=60:d=3',
      '-f',
      'lavfi',
      '-i',
      'sine=d=3',
      '-c:v',
      'mpeg4',
      '-c:a',
      'mp3',
    );
    const got = await encodeFile(ready, file, { renditions: ['grid', 'hd'] }, async ({ files, storyboard }) => {
      expect(files.every(({ file }) => readFileSync(file).length > 1_000)).toBe(true);
      return { sizes: files.map(({ rendition, width, height }) => [rendition, width, height]), storyboard };
    });
    expect(got).toMatchObject({
      sizes: [
        ['hd', 1280, 720],
        ['grid', 960, 540],
      ],
      storyboard: { columns: 2, rows: 1, tileWidth: 160, tileHeight: 90, intervalMs: 2_000 },
    });
    expect(ready.leftOver()).toEqual([]);
  });
});
