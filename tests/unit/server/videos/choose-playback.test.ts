import { describe, expect, test } from 'vitest';
import { toNeedBits, usualClass } from '#contract/rules/media-needs.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import { choosePlayback, everyDevice, needsLess, unknownElement } from '#server/features/videos/playback.ts';
import type { LibraryVideo } from '#server/features/videos/video.ts';
import { versionOf } from '#server/features/videos/video.ts';

const minuteMs = 60_000;
/** Ten seconds of 8 Mbit/s. */
const source = {
  number: 7,
  size: 10_000_000,
  modifiedUs: 5,
  width: 1920,
  height: 1080,
  durationMs: 10_000,
  needs: 0,
  isSourcePlayable: true,
} as LibraryVideo;
const matroska: LibraryVideo = { ...source, needs: toNeedBits(['matroska']) };

const dts: LibraryVideo = { ...source, needs: toNeedBits(['dts']) };

const sizes = { grid: 1_500_000, hd: 5_000_000, source: 10_000_000 };
const heights = { grid: 540, hd: 1080, source: 1080 };
const encoded = (...names: Rendition[]) =>
  names.map((rendition) => ({
    rendition,
    content: `content-of-${rendition}`,
    bytes: sizes[rendition],
    width: (heights[rendition] * 16) / 9,
    height: heights[rendition],
    madeAt: 1,
  }));

const withHd = { device: usualClass, lines: Number.POSITIVE_INFINITY };
const withoutHd = { device: usualClass, lines: 540 };
const large = { ...unknownElement, width: 1920, height: 1080 };

describe('the file that is played', () => {
  test.each([
    ['the grid on a card', source, encoded('grid', 'hd'), withHd, unknownElement, 'content-of-grid'],
    ['the source where there is nothing else', source, [], withoutHd, unknownElement, versionOf(source)],
    ['what fills a large element', source, encoded('grid', 'hd'), withHd, large, 'content-of-hd'],
    ['the grid without HD, however large', source, encoded('grid', 'hd'), withoutHd, large, 'content-of-grid'],
    [
      'the lightest for who saves data',
      source,
      encoded('grid', 'hd'),
      withHd,
      { ...large, savesData: true },
      'content-of-grid',
    ],
    [
      'what a thin network carries',
      source,
      encoded('grid', 'hd'),
      withHd,
      { ...large, kbps: 1_500 },
      'content-of-grid',
    ],
    ['the same picture in MP4 for who plays no MKV', matroska, encoded('source'), withHd, large, 'content-of-source'],
    [
      'the MKV for who plays it',
      matroska,
      encoded('source'),
      { ...withHd, device: everyDevice },
      large,
      versionOf(source),
    ],
    ['what has sound, not the larger one that would be silent', dts, encoded('grid'), withHd, large, 'content-of-grid'],
    ['what is silent where there is nothing else', dts, [], withHd, large, versionOf(source)],
    ['the MKV where nothing plays', matroska, [], withHd, large, versionOf(source)],
    [
      'the encoding of a file that nothing plays',
      { ...source, isSourcePlayable: false },
      encoded('grid'),
      withHd,
      large,
      'content-of-grid',
    ],
  ] as const)('is %s', (_, video, encodings, audience, element, version) => {
    expect(choosePlayback({ video, encodings }, audience, element).chosen.version).toBe(version);
  });

  test('is one of those that the viewer may have', () => {
    const names = (audience: typeof withHd) =>
      choosePlayback({ video: source, encodings: encoded('grid', 'hd') }, audience).allowed.map(({ name }) => name);
    expect(names(withHd)).toEqual(['source', 'grid', 'hd']);
    expect(names(withoutHd)).toEqual(['grid']);
  });
});

describe('a source', () => {
  const given = (video: LibraryVideo, encodings = encoded()) => choosePlayback({ video, encodings }, withHd).chosen;

  test.each([
    [true, 'in a quadrant', source, unknownElement],
    [true, 'of unknown size', { ...source, width: null, height: null, durationMs: null }, unknownElement],
    [false, 'over the whole screen', source, large],
    [false, 'that takes no more than a grid would', { ...source, durationMs: minuteMs }, unknownElement],
  ] as const)('is more than is needed (%s) %s', (isTooMuch, _, video, element) => {
    expect(needsLess(given(video), [], element)).toBe(isTooMuch);
  });

  test('beside a grid is what somebody asked for', () => {
    expect(needsLess(given(source), encoded('grid'))).toBe(false);
    expect(needsLess(given(source, encoded('grid')), [])).toBe(false);
  });
});
