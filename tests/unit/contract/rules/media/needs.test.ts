import { describe, expect, test } from 'vitest';
import type { MediaFacts, MediaNeed } from '#contract/rules/media-needs.ts';
import {
  listNeeds,
  mediaNeeds,
  needsOf,
  readDeviceClass,
  showsPicture,
  toNeedBits,
  usualClass,
  writeDeviceClass,
} from '#contract/rules/media-needs.ts';

const plain: MediaFacts = {
  container: 'mp4',
  videoCodec: 'avc',
  audioCodec: 'aac',
  bitDepth: 8,
  chroma: '4:2:0',
  width: 1920,
  height: 1080,
};

describe('what a file asks for', () => {
  test.each<[string, Partial<MediaFacts>, MediaNeed[]]>([
    ['nothing where everything plays it', {}, []],
    ['nothing where its header says no more', { bitDepth: null, chroma: null, width: null, height: null }, []],
    ['nothing for an upright film', { width: 1080, height: 1920 }, []],
    ['its container', { container: 'matroska' }, ['matroska']],
    ['QuickTime', { container: 'mov' }, ['quicktime']],
    ['deep H.264', { bitDepth: 10, chroma: '4:2:2' }, ['avc-10-bit', 'avc-4:2:2']],
    ['deep HEVC', { videoCodec: 'hevc', bitDepth: 10 }, ['hevc', 'hevc-10-bit']],
    ['WebM with VP9 and Opus', { container: 'webm', videoCodec: 'vp9', audioCodec: 'opus' }, ['webm', 'vp9', 'opus']],
    ['4K', { width: 3840, height: 2160 }, ['over-1080-lines']],
    ['8K', { width: 7680, height: 4320 }, ['over-1080-lines', 'over-2160-lines']],
    ['sound of a cinema', { audioCodec: 'ac3' }, ['ac3']],
  ])('%s', (_, facts, expected) => {
    expect(listNeeds(needsOf({ ...plain, ...facts }))).toEqual(expected);
  });
});

test('a class is the same after its way', () => {
  const all = toNeedBits(mediaNeeds);

  expect(readDeviceClass(writeDeviceClass(all))).toBe(all);
  expect(readDeviceClass(writeDeviceClass(0))).toBe(0);
});

test.each([undefined, '', 'zzzzzzz', '-1', '1 2', 'ü'])('%j is no class', (text) => {
  expect(readDeviceClass(text)).toBeNull();
});

test('needs of a later version are left out', () => {
  const all = toNeedBits(mediaNeeds);

  expect(readDeviceClass(writeDeviceClass(all + 2 ** mediaNeeds.length))).toBe(all);
});

test('a file whose sound alone is unknown shows its picture', () => {
  expect(showsPicture(toNeedBits(['ac3']), usualClass)).toBe(true);
  expect(showsPicture(toNeedBits(['matroska']), usualClass)).toBe(false);
});
