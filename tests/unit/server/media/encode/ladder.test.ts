import { describe, expect, test } from 'vitest';
import type { Container } from '#server/media/containers/container-sniff.ts';
import type { Ordered } from '#server/media/encode/ladder.ts';
import { planEncoding } from '#server/media/encode/ladder.ts';
import type { Description } from '#server/media/ffmpeg/ffmpeg-description.ts';
import { describedAudio, describedFile, describedVideo } from '#tests/support/media/described-tracks.ts';

type Video = Parameters<typeof describedVideo>[0];

interface Given extends Partial<Ordered> {
  container?: Container;
  video?: Video;
  description?: Partial<Description>;
}

function plan({ container = 'avi', video = {}, description = {}, ...ordered }: Given) {
  const videoTrack = describedVideo(video);
  const described = describedFile(videoTrack, description);
  const order: Ordered = { renditions: ['grid', 'hd'], copy: 'beside', durationMs: null, ...ordered };
  return planEncoding({ container, description: described, videoTrack }, order);
}

/** `grid 960x540 30` for each picture, the tallest first. */
const pictures = (given: Given) =>
  plan(given).pictures.map(
    ({ rendition, width, height, rate }) =>
      `${rendition} ${width}x${height} ${(rate.frames / rate.seconds).toFixed(2)}`,
  );

describe('sizes', () => {
  test.each([
    ['full HD', { width: 1920, height: 1080 }, ['hd 1920x1080 25.00', 'grid 960x540 25.00']],
    ['4K', { width: 3840, height: 2160 }, ['hd 1920x1080 25.00', 'grid 960x540 25.00']],
    ['upright', { width: 1080, height: 1920 }, ['hd 1080x1920 25.00', 'grid 540x960 25.00']],
    ['between both', { width: 1280, height: 720 }, ['hd 1280x720 25.00', 'grid 960x540 25.00']],
    ['small', { width: 640, height: 360 }, ['grid 640x360 25.00']],
    ['odd', { width: 161, height: 91 }, ['grid 160x90 25.00']],
    ['tiny', { width: 1, height: 1 }, ['grid 2x2 25.00']],
    ['anamorphic', { width: 1047, height: 576 }, ['hd 1046x576 25.00', 'grid 982x540 25.00']],
    [
      'a strip that its level does not hold',
      { width: 8000, height: 1000 },
      ['hd 4080x510 25.00', 'grid 2650x332 25.00'],
    ],
  ])('%s', (_, video, expected) => {
    expect(pictures({ video })).toEqual(expected);
  });

  test.each([[{ width: 8192, height: 600 }], [{ width: 540, height: 8192 }], [{ width: 4097, height: 4097 }]])(
    'every picture of %o keeps to its level',
    (video) => {
      for (const { rendition, width, height } of plan({ video }).pictures) {
        const blocks = rendition === 'grid' ? 3_600 : 8_192;
        expect(Math.ceil(width / 16) * Math.ceil(height / 16)).toBeLessThanOrEqual(blocks);
        expect(Math.ceil(Math.max(width, height) / 16)).toBeLessThanOrEqual(Math.sqrt(8 * blocks));
        expect(width / height / (video.width / video.height)).toBeCloseTo(1, 1);
      }
    },
  );
});

describe('rates', () => {
  const fullHd = { width: 1920, height: 1080 };
  const rates = (video: Video) => pictures({ video: { ...fullHd, ...video } }).map((picture) => picture.split(' ')[2]);

  test.each([
    ['film', { framesPerSecond: 23.98 }, ['23.98', '23.98']],
    ['PAL', { framesPerSecond: 25 }, ['25.00', '25.00']],
    ['NTSC', { framesPerSecond: 29.97 }, ['29.97', '29.97']],
    ['twice as fast as its level allows', { framesPerSecond: 59.94 }, ['29.97', '29.97']],
    ['twice as fast as a quadrant needs', { framesPerSecond: 60, width: 1280, height: 720 }, ['60.00', '30.00']],
    ['slow motion', { framesPerSecond: 240 }, ['30.00', '30.00']],
    ['slides', { framesPerSecond: 0.1 }, ['5.00', '5.00']],
    ['a phone', { framesPerSecond: 29.3, hasVariableRate: true }, ['30.00', '30.00']],
    ['a screen', { framesPerSecond: 48.2, hasVariableRate: true, width: 1280, height: 720 }, ['60.00', '30.00']],
    ['unknown', { framesPerSecond: null }, ['30.00', '30.00']],
  ])('%s', (_, video, expected) => {
    expect(rates(video)).toEqual(expected);
  });

  test('29.97 is 30000/1001', () => {
    expect(plan({ video: { framesPerSecond: 29.97 } }).pictures[0]?.rate).toEqual({ frames: 30_000, seconds: 1_001 });
  });
});

describe('a stream copy', () => {
  const copied = (given: Given) => plan({ container: 'matroska', ...given }).copy;
  const made = (given: Given) => {
    const { copy, pictures: all } = plan({ container: 'matroska', ...given });
    return [...(copy === null ? [] : ['source']), ...all.map(({ rendition }) => rendition)];
  };

  test.each<Container>(['matroska', 'mov', 'flv', 'mpeg-ts'])('is made of %s', (container) => {
    expect(copied({ container })).toEqual({ width: 1920, height: 1080, copiesAudio: true });
  });

  test.each<Container>(['avi', 'asf', 'mpeg-ps', 'mp4'])('is not made of %s', (container) => {
    expect(copied({ container })).toBeNull();
  });

  test.each([
    ['another codec', { codec: 'hevc' }],
    ['10 bits', { bitDepth: 10 }],
    ['4:2:2', { chroma: '4:2:2' as const }],
    ['4K', { width: 3840, height: 2160 }],
    ['interlaced', { isInterlaced: true }],
    ['HDR', { isHdr: true, hdrTransfer: 'arib-std-b67' as const }],
  ])('is not made of %s', (_, video) => {
    expect(copied({ video })).toBeNull();
  });

  test.each([
    ['AAC', { codec: 'aac', profile: 'HE-AAC' }, true],
    ['MP3', { codec: 'mp3' }, true],
    ['a profile that browsers do not know', { codec: 'aac', profile: 'xHE-AAC' }, false],
    ['AC-3', { codec: 'ac3' }, false],
  ])('copies the sound where it is played everywhere: %s', (_, audio, copiesAudio) => {
    expect(copied({ description: { audioTracks: [describedAudio(audio)] } })).toMatchObject({ copiesAudio });
  });

  test('is made of an MP4 whose sound is not played everywhere', () => {
    const audioTracks = [describedAudio({ codec: 'ac3' })];
    expect(copied({ container: 'mp4', description: { audioTracks } })).toMatchObject({ copiesAudio: false });
  });

  test('stands beside what has fewer lines or far fewer bytes', () => {
    expect(made({ description: { kbps: 5_000 } })).toEqual(['source', 'grid']);
    expect(made({ description: { kbps: 50_000 } })).toEqual(['source', 'hd', 'grid']);
    expect(made({ video: { width: 960, height: 540 }, description: { kbps: 1_500 } })).toEqual(['source']);
    expect(made({ video: { width: 960, height: 540 }, description: { kbps: 20_000 } })).toEqual(['source', 'grid']);
    expect(made({ renditions: ['hd'], description: { kbps: null } })).toEqual(['source']);
  });

  test('comes alone for whoever waits, and not where it was made before', () => {
    expect(made({ copy: 'alone' })).toEqual(['source']);
    expect(made({ copy: 'alone', container: 'avi' })).toEqual(['hd', 'grid']);
    expect(made({ copy: 'none' })).toEqual(['hd', 'grid']);
    expect(made({ renditions: [] })).toEqual([]);
  });
});

describe('the sheet of stills', () => {
  const sheet = (durationMs: number | null, video: Video = {}) => plan({ durationMs, video }).storyboard;

  test.each([
    [600, { tiles: 1, columns: 1, rows: 1, intervalMs: 2_000 }],
    [45_000, { tiles: 23, columns: 10, rows: 3, intervalMs: 2_000 }],
    [7_200_000, { tiles: 100, columns: 10, rows: 10, intervalMs: 72_000 }],
    [200_001, { tiles: 100, columns: 10, rows: 10, intervalMs: 2_001 }],
  ])('of %i ms', (durationMs, expected) => {
    expect(sheet(durationMs)).toMatchObject(expected);
  });

  test('shows a picture in its shape, and a small one in its size', () => {
    expect(sheet(1_000)).toMatchObject({ tileWidth: 160, tileHeight: 90 });
    expect(sheet(1_000, { width: 1080, height: 1920 })).toMatchObject({ tileWidth: 90, tileHeight: 160 });
    expect(sheet(1_000, { width: 64, height: 48 })).toMatchObject({ tileWidth: 64, tileHeight: 48 });
  });

  test('is planned by what is known of the length, not by a guess', () => {
    expect(plan({ durationMs: 90_000 }).durationMs).toBe(90_000);
    expect(plan({}).durationMs).toBe(60_000);
    expect(plan({ description: { isDurationGuessed: true } })).toMatchObject({ durationMs: null, storyboard: null });
  });
});

test('the default track of sound is taken, else the first that can be heard', () => {
  const audioOf = (...tracks: Partial<Parameters<typeof describedAudio>[0]>[]) =>
    plan({ description: { audioTracks: tracks.map((track, index) => describedAudio({ index, ...track })) } }).audioTrack
      ?.index ?? null;
  expect(audioOf({}, { isDefault: true })).toBe(1);
  expect(audioOf({ codec: 'none', isDefault: true }, {}, {})).toBe(1);
  expect(audioOf()).toBeNull();
});
