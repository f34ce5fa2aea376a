import sharp from 'sharp';
import { expect, test } from 'vitest';
import { ppmToWebp } from '#server/media/ffmpeg/poster.ts';

const ppm = (header: string, bytes: number) => Buffer.concat([Buffer.from(header, 'latin1'), Buffer.alloc(bytes, 200)]);

test('a picture is packed with its size and its colours', async () => {
  const red = Buffer.concat([
    Buffer.from('P6\n4 2\n255\n'),
    ...Array.from({ length: 8 }, () => Buffer.from([255, 0, 0])),
  ]);
  const { webp, width, height } = await ppmToWebp(red, 8);
  expect([width, height]).toEqual([4, 2]);
  const { data, info } = await sharp(webp).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ format: 'raw', width: 4, height: 2 });
  expect([data[0], data[1], data[2]]).toEqual([
    expect.toSatisfy((value: number) => value > 240),
    expect.toSatisfy((value: number) => value < 15),
    expect.toSatisfy((value: number) => value < 15),
  ]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['another format', Buffer.from('\x89PNG\r\n\x1a\n')],
  ['a picture of text', ppm('P3\n4 2\n255\n', 24)],
  ['16 bits a sample', ppm('P6\n4 2\n65535\n', 48)],
  ['no pixels', ppm('P6\n0 2\n255\n', 0)],
  ['a negative side', ppm('P6\n-4 2\n255\n', 24)],
  ['too many pixels', ppm('P6\n100 100\n255\n', 30_000)],
  ['a size without end', ppm('P6\n99999999999999999999 2\n255\n', 24)],
  ['fewer bytes than its size says', ppm('P6\n4 2\n255\n', 23)],
  ['more bytes than its size says', ppm('P6\n4 2\n255\n', 25)],
  ['a comment', ppm('P6\n# 4 2\n4 2\n255\n', 24)],
])('%s is no still', async (_name, bytes) => {
  await expect(ppmToWebp(bytes, 100)).rejects.toMatchObject({ fault: 'unreadable' });
});
