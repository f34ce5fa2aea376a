import { expect, test } from 'vitest';
import { estimateBytes, renditionsToMake } from '#server/features/encodings/encode-order.ts';

const lines = (width: number | null, height: number | null) => ({ width, height });

test.each([
  ['somebody waits for 1080 lines', lines(1_920, 1_080), 'waiting', [], ['grid', 'hd']],
  ['somebody waits for 540 lines', lines(960, 540), 'waiting', [], ['grid']],
  ['somebody waits for what is upright', lines(540, 960), 'waiting', [], ['grid']],
  ['nothing plays 720 lines', lines(1_280, 720), 'unplayable', [], ['grid', 'hd']],
  ['nothing plays what has no size yet', lines(null, null), 'unplayable', [], ['grid', 'hd']],
  ['some devices lack what 1080 lines need', lines(1_920, 1_080), 'lacking', [], ['grid', 'hd']],
  ['1080 lines are picked often', lines(1_920, 1_080), 'popular', [], ['grid']],
  ['4K is picked often', lines(3_840, 2_160), 'popular', [], ['grid', 'hd']],
  ['4K has an hd, and is picked often', lines(3_840, 2_160), 'popular', ['hd'], ['grid']],
  ['a copy is picked often', lines(1_920, 1_080), 'popular', ['source'], ['grid']],
  ['somebody waits for what has come', lines(1_920, 1_080), 'waiting', ['grid'], []],
  ['nothing plays it but a copy', lines(1_920, 1_080), 'unplayable', ['source'], []],
  ['a grid is there', lines(3_840, 2_160), 'popular', ['grid'], []],
] as const)('%s', (_, source, reason, existing, made) => {
  expect(renditionsToMake(source, reason, existing)).toEqual(made);
});

test('bytes are estimated rather too high: by duration, by the source where that is unknown, with a copy where one may be made', () => {
  const source = { size: 10_000_000, durationMs: 10_000, container: 'avi', videoCodec: null } as const;
  const grid = estimateBytes(source, ['grid'], 'unplayable');
  expect(grid).toBeGreaterThan((1_200 * 10_000) / 8);
  expect(estimateBytes(source, ['grid', 'hd'], 'unplayable')).toBeGreaterThan(grid + (4_500 * 10_000) / 8);
  expect(estimateBytes({ ...source, durationMs: null }, ['grid'], 'unplayable')).toBeGreaterThan(source.size);
  const copied = { ...source, container: 'matroska', videoCodec: 'avc' } as const;
  expect(estimateBytes(copied, ['grid'], 'waiting') - grid).toBe(source.size);
  expect(estimateBytes(copied, ['grid'], 'popular')).toBe(grid);
});
