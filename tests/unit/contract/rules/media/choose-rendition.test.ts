import { describe, expect, test } from 'vitest';
import type { PictureDemand, PlayableEncoding } from '#contract/rules/rendition.ts';
import { chooseRendition } from '#contract/rules/rendition.ts';

const grid: PlayableEncoding = { name: 'grid', width: 960, height: 540, kbps: 1_200 };
const hd: PlayableEncoding = { name: 'hd', width: 1920, height: 1080, kbps: 4_500 };
const source: PlayableEncoding = { name: 'source', width: 3840, height: 2160, kbps: 40_000 };
const ladder = [source, hd, grid];

const quadrantOfFullHd: PictureDemand = {
  width: 960,
  height: 540,
  kbps: null,
  savesData: false,
  droppedPercent: null,
  lines: Number.POSITIVE_INFINITY,
};

const choose = (demand: Partial<PictureDemand>, encodings = ladder) =>
  chooseRendition(encodings, { ...quadrantOfFullHd, ...demand })?.name;

describe('a quadrant gets', () => {
  test.each<[string, Partial<PictureDemand>, string]>([
    ['the grid encoding on a full-HD screen', {}, 'grid'],
    ['the grid encoding where a tenth is missing', { width: 1_066, height: 600 }, 'grid'],
    ['the hd encoding on a screen of 4K', { width: 1_920, height: 1_080 }, 'hd'],
    ['the source where it is expanded on a screen of 4K', { width: 3_840, height: 2_160 }, 'source'],
    ['the source beyond all there is', { width: 7_680, height: 4_320 }, 'source'],
    ['the grid encoding when nothing is known of its size', { width: null, height: null }, 'grid'],
    ['what its width asks for in a tall element', { width: 390, height: 1_400 }, 'grid'],
    ['the lightest where data is saved', { width: 3_840, height: 2_160, savesData: true }, 'grid'],
    ['the best that the network carries', { width: 3_840, height: 2_160, kbps: 6_000 }, 'hd'],
    ['the lightest on a network that carries none', { width: 3_840, height: 2_160, kbps: 300 }, 'grid'],
    ['one step less while frames are dropped', { width: 3_840, height: 2_160, droppedPercent: 12 }, 'hd'],
    ['no less than the lightest while frames are dropped', { droppedPercent: 12 }, 'grid'],
    ['540 lines without HD', { width: 3_840, height: 2_160, lines: 540 }, 'grid'],
  ])('%s', (_, demand, expected) => {
    expect(choose(demand)).toBe(expected);
  });

  test('the source as it is without HD where there is no grid encoding', () => {
    expect(choose({ lines: 540 }, [source])).toBe('source');
  });

  test('the source of unknown size where nothing else fills it', () => {
    expect(choose({ width: 1_920, height: 1_080 }, [grid, { ...source, width: null, height: null }])).toBe('source');
  });

  test('nothing where there is nothing', () => {
    expect(choose({}, [])).toBeUndefined();
  });

  test('an upright picture by its height', () => {
    const upright = [
      { ...grid, width: 304, height: 540 },
      { ...hd, width: 608, height: 1_080 },
    ];

    expect(choose({ width: 960, height: 540 }, upright)).toBe('grid');
    expect(choose({ width: 960, height: 1_080 }, upright)).toBe('hd');
  });
});
