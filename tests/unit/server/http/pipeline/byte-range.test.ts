import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentRange, readByteRange } from '#server/http/pipeline/representation.ts';

const size = 1_000;

describe('a Range header', () => {
  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-', 0, 999],
    ['bytes=999-', 999, 999],
    ['bytes=10-19', 10, 19],
    ['bytes=10-5000', 10, 999],
    ['bytes=-1', 999, 999],
    ['bytes=-1000', 0, 999],
    ['bytes=-99999', 0, 999],
    ['BYTES = 1-2', 1, 2],
    [`bytes=1-${10n ** 400n}`, 1, 999],
  ])('%s is a part', (header, start, end) => {
    expect(readByteRange(header, size)).toEqual({ kind: 'part', window: { start, end } });
  });

  test.each([
    'bytes=1000-',
    'bytes=5-1',
    'bytes=-0',
    'bytes=-',
    'bytes=',
    'bytes=a-b',
    'bytes=1-2-3',
    'bytes=+1-2',
    'bytes=1.5-',
    'bytes=0x1-',
    `bytes=${2n ** 53n}-`,
    `bytes=${10n ** 400n}-`,
  ])('%s cannot be satisfied', (header) => {
    expect(readByteRange(header, size)).toEqual({ kind: 'unsatisfiable' });
  });

  test.each([undefined, '', 'bytes', 'items=0-1', 'bytes 0-1', 'bytes=0-1,2-3'])('%s means the whole', (header) => {
    expect(readByteRange(header, size)).toEqual({ kind: 'whole' });
  });

  test('of an empty file can never be satisfied', () => {
    for (const header of ['bytes=0-', 'bytes=-1', 'bytes=0-0'])
      expect(readByteRange(header, 0)).toEqual({ kind: 'unsatisfiable' });
  });

  test('beyond 4 GiB keeps every byte exact', () => {
    const huge = 5 * 2 ** 30;
    expect(readByteRange(`bytes=${2 ** 32 + 1}-`, huge)).toEqual({
      kind: 'part',
      window: { start: 2 ** 32 + 1, end: huge - 1 },
    });
    expect(contentRange({ start: 2 ** 32, end: huge - 1 }, huge)).toBe('bytes 4294967296-5368709119/5368709120');
  });

  test('whatever it says, a part lies within the file and within the piece', () => {
    const header = fc.oneof(
      fc.string(),
      fc.stringMatching(/^bytes=\d{0,20}-\d{0,20}$/),
      fc.tuple(fc.nat(10_000), fc.nat(10_000)).map(([start, end]) => `bytes=${start}-${end}`),
    );
    fc.assert(
      fc.property(header, fc.nat(10_000), fc.integer({ min: 1, max: 5_000 }), (text, fileSize, piece) => {
        const answer = readByteRange(text, fileSize, piece);
        fc.pre(answer.kind === 'part');
        const { start, end } = answer.window;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThanOrEqual(start);
        expect(end).toBeLessThan(fileSize);
        expect(end - start + 1).toBeLessThanOrEqual(piece);
      }),
    );
  });

  test('that asks for bytes that are there gets just these', () => {
    const asked = fc
      .integer({ min: 1, max: 2 ** 45 })
      .chain((fileSize) => fc.tuple(fc.constant(fileSize), fc.nat(fileSize - 1), fc.nat(fileSize - 1)));
    fc.assert(
      fc.property(asked, ([fileSize, one, other]) => {
        const window = { start: Math.min(one, other), end: Math.max(one, other) };
        expect(readByteRange(`bytes=${window.start}-${window.end}`, fileSize)).toEqual({ kind: 'part', window });
      }),
    );
  });
});
