import { describe, expect, test } from 'vitest';
import { toNeedBits } from '#contract/rules/media-needs.ts';
import { probe } from '#server/media/probe.ts';
import {
  ebmlHead,
  element,
  film,
  float,
  info,
  pictureTrack,
  segment,
  soundTrack,
  track,
  tracks,
  unknownSize,
  unsigned,
  video,
} from '#tests/support/media/ebml-film.ts';
import { countedSource, maxBytesRead } from './counted-source.ts';

const read = (bytes: Uint8Array) => probe(countedSource(bytes));
const padding = (bytes: number) => element(0xec, Buffer.alloc(bytes));
const head = ebmlHead('matroska');

describe('a WebM or Matroska file', () => {
  test('says what players need to know', () => {
    expect(read(film([pictureTrack(), soundTrack()]))).toEqual({
      container: 'webm',
      videoCodec: 'vp9',
      audioCodec: 'opus',
      bitDepth: null,
      chroma: null,
      durationMs: 4_000,
      width: 320,
      height: 180,
      needs: toNeedBits(['webm', 'vp9', 'opus']),
      reason: null,
      details: { title: null, description: null, recordedAt: null },
    });
  });

  test('may have a length that nobody knows, and no duration', () => {
    const bytes = Buffer.concat([
      head,
      segment([element(0x1549a966), tracks([pictureTrack()]), element(0x1f43b675, 'x', unknownSize)], unknownSize),
    ]);
    expect(read(bytes)).toMatchObject({ container: 'matroska', durationMs: null, reason: null });
  });

  test.each([
    [5_000, 3_000, 'begins_late'],
    [900, 8_000, null],
  ])('whose pictures begin after %i ms is as long as they are', (begin, durationMs, reason) => {
    const cluster = element(0x1f43b675, unsigned(0xe7, begin));
    const bytes = Buffer.concat([head, segment([info(8_000), tracks([pictureTrack()]), cluster])]);
    expect(read(bytes)).toMatchObject({ durationMs, reason });
  });

  test('may be padded, and have its tracks behind its pictures', () => {
    const bytes = Buffer.concat([
      head,
      padding(50),
      segment([padding(9_000), info(), element(0x1f43b675, Buffer.alloc(9_000)), tracks([pictureTrack()])]),
    ]);
    expect(read(bytes)).toMatchObject({ durationMs: 4_000, reason: null });
  });

  test.each([
    ['stretched', video(320, 180, unsigned(0x54b0, 1_280), unsigned(0x54ba, 540)), 427, 180],
    ['squeezed', video(320, 180, unsigned(0x54b0, 4), unsigned(0x54ba, 3)), 320, 240],
    ['turned', video(320, 180, element(0x7670, float(0x7675, -90))), 180, 320],
    ['turned by nothing', video(320, 180, element(0x7670, float(0x7675, 180))), 320, 180],
    ['stretched by nothing', video(320, 180, unsigned(0x54b0, 0), unsigned(0x54ba, 0)), 320, 180],
  ])('whose picture is %s is as large as it is shown', (_, shown, width, height) => {
    expect(read(film([pictureTrack('V_VP9', shown)]))).toMatchObject({ width, height, reason: null });
  });

  test.each([
    ['V_MPEG4/ISO/AVC', 'avc', null],
    ['V_VP8', 'vp8', null],
    ['V_AV1', 'av1', null],
    ['V_AV1\0\0', 'av1', null],
    ['V_MPEGH/ISO/HEVC', 'hevc', null],
    ['V_PRORES', 'prores', 'codec_prores'],
    ['V_MS/VFW/FOURCC', null, 'codec_unknown'],
  ])('with %j pictures is %s', (id, videoCodec, reason) => {
    expect(read(film([pictureTrack(id)]))).toMatchObject({ videoCodec, reason });
  });

  /** A film of one frame, which may stand behind that of another track. */
  const filmed = (codec: string, frame: number[], ...fields: Buffer[]) => {
    const block = (number: number, bytes: number[]) => Buffer.from([0x80 | number, 0, 0, 0x80, ...bytes]);
    const picture = pictureTrack(codec, unsigned(0xd7, 1), ...fields, video());
    const cluster = element(
      0x1f43b675,
      Buffer.concat([element(0xa3, block(2, [1, 2, 3])), element(0xa0, element(0xa1, block(1, frame)))]),
    );
    return read(Buffer.concat([ebmlHead(), segment([info(), tracks([picture]), cluster])]));
  };
  const codecPrivate = (...bytes: number[]) => element(0x63a2, Buffer.from(bytes));
  const deep = element(0x55b0, unsigned(0x55b2, 10));

  test.each([
    ['AVC', filmed('V_MPEG4/ISO/AVC', [], codecPrivate(1, 110, 0, 30, 0xff, 0xe0, 0)), 10, '4:2:0'],
    ['HEVC', filmed('V_MPEGH/ISO/HEVC', [], codecPrivate(...Array(16).fill(0), 0xfd, 0xfa, 0xfa)), 10, '4:2:0'],
    ['AV1', filmed('V_AV1', [], codecPrivate(0x81, 0, 0x4c, 0)), 10, '4:2:0'],
    ['VP8', filmed('V_VP8', []), 8, '4:2:0'],
    ['VP9 by its features', filmed('V_VP9', [], codecPrivate(1, 1, 2, 2, 1, 10, 3, 1, 10, 4, 1, 2)), 10, '4:2:2'],
    ['VP9 by its colours', read(film([pictureTrack('V_VP9', video(320, 180, deep))])), 10, null],
    ['VP9 by its first frame', filmed('V_VP9', [0x82, 0x49, 0x83, 0x42, 0]), 8, '4:2:0'],
    ['VP9 profile 1 by its first frame', filmed('V_VP9', [0xa2, 0x49, 0x83, 0x42, 0]), 8, null],
    ['VP9 profile 2 by its first frame', filmed('V_VP9', [0x92, 0x49, 0x83, 0x42, 0]), 10, '4:2:0'],
    ['VP9 profile 2 with 12 bits', filmed('V_VP9', [0x92, 0x49, 0x83, 0x42, 0x80]), 12, '4:2:0'],
    ['VP9 with another frame', filmed('V_VP9', [0x12, 0x49, 0x83, 0x42, 0]), null, null],
    ['VP9 with a frame that is cut', filmed('V_VP9', [0x92]), null, null],
    ['features without an end', filmed('V_VP9', [], codecPrivate(3, 255, 8)), 8, null],
  ])('says how samples are stored: %s', (_, found, bitDepth, chroma) => {
    expect(found).toMatchObject({ bitDepth, chroma, reason: null });
  });

  test.each([
    ['A_AAC/MPEG4/LC', 'aac'],
    ['A_MPEG/L3', 'mp3'],
    ['A_MPEG/L2', 'other'],
    ['A_PCM/INT/LIT', 'pcm'],
    ['A_VORBIS', 'vorbis'],
  ])('with %s sound has %s', (id, audioCodec) => {
    expect(read(film([pictureTrack(), soundTrack(id)]))).toMatchObject({ audioCodec });
  });
});

const many = (count: number, part: Buffer) => Array.from({ length: count }, () => part);
const nested = (depth: number) => {
  let bytes = Buffer.alloc(0);
  for (let level = 0; level < depth; level += 1)
    bytes = Buffer.concat([Buffer.from([0xae, 0x08]), u32(bytes.length), bytes]);
  return bytes;
};
function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const hostile: [what: string, bytes: Buffer, reason: string][] = [
  ['a header alone', head, 'truncated'],
  [
    'a segment that ends beyond the file',
    Buffer.concat([head, segment([info(), tracks([pictureTrack()])], 5_000n)]),
    'truncated',
  ],
  ['a segment that ends beyond all files', Buffer.concat([head, segment([info()], 2n ** 55n)]), 'truncated'],
  ['bytes that are no element', Buffer.concat([head, Buffer.alloc(64)]), 'damaged'],
  ['no tracks', Buffer.concat([head, segment([info()])]), 'no_index'],
  [
    'no tracks before pictures of unknown length',
    Buffer.concat([head, segment([info(), element(0x1f43b675, 'x', unknownSize)], unknownSize)]),
    'no_index',
  ],
  ['sound alone', film([soundTrack()]), 'no_picture'],
  ['an empty track', film([track()]), 'no_picture'],
  ['a picture of 0 × 0', film([pictureTrack('V_VP9', video(0, 0))]), 'picture_size'],
  ['a picture of 16k × 16k', film([pictureTrack('V_VP9', video(16_384, 16_384))]), 'picture_size'],
  ['1,000 tracks', film(many(1_000, pictureTrack())), 'too_complex'],
  ['a negative duration', Buffer.concat([head, segment([info(-1), tracks([pictureTrack()])])]), 'damaged'],
  [
    'a duration of ten years',
    Buffer.concat([head, segment([info(315_360_000_000), tracks([pictureTrack()])])]),
    'damaged',
  ],
  [
    'a duration that is no number',
    Buffer.concat([head, segment([info(Number.NaN), tracks([pictureTrack()])])]),
    'damaged',
  ],
  [
    '0.001 pictures a second',
    film([pictureTrack('V_VP9', video(), element(0x23e383, Buffer.from([0xe8, 0xd4, 0xa5, 0x10, 0x00])))]),
    'too_few_pictures',
  ],
  ['a number of 4 GB', film([track(element(0x83, 'x', 2n ** 32n))]), 'damaged'],
  ['a name of 4 GB', film([track(unsigned(0x83, 1), element(0x86, 'x', 2n ** 32n))]), 'damaged'],
  [
    'a picture that ends beyond its track',
    film([
      track(unsigned(0x83, 1), element(0x86, 'V_VP9'), element(0xe0, '', 26n)),
      unsigned(0xb0, 320),
      unsigned(0xba, 180),
    ]),
    'damaged',
  ],
  ['a track within a track, 2,000 deep', film([nested(2_000)]), 'no_picture'],
  [
    '100,000 small elements',
    Buffer.concat([head, segment([...many(100_000, element(0xec)), info(), tracks([pictureTrack()])])]),
    'no_index',
  ],
  ['100,000 small elements in its tracks', film([...many(100_000, element(0xec)), pictureTrack()]), 'too_complex'],
];

test.each(hostile)('a file with %s costs little and gives a reason', (_, bytes, reason) => {
  const source = countedSource(bytes);
  expect(probe(source).reason).toBe(reason);
  expect(source.bytesRead).toBeLessThanOrEqual(maxBytesRead);
});

test('a file beside a folder of attachments is read like any other', () => {
  const attachment = element(
    0x1941a469,
    element(0x61a7, Buffer.concat([element(0x466e, '../../escape'), element(0x465c, 'bytes')])),
  );
  expect(read(Buffer.concat([head, segment([attachment, info(), tracks([pictureTrack()])])])).reason).toBeNull();
});
