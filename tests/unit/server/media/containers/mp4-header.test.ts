import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listNeeds } from '#contract/rules/media-needs.ts';
import { byteSourceOf } from '#server/media/containers/byte-window.ts';
import { probe } from '#server/media/probe.ts';
import { box, ftyp } from '#tests/support/media/videos.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { countedSource, maxBytesRead } from './counted-source.ts';
import { mdat, moov, movie, mvhd, pictureEntry, runs, soundEntry, trak, u32, u64 } from './iso-movie.ts';

const read = (bytes: Uint8Array) => probe(countedSource(bytes));
const pasp = (across: number, down: number) => box('pasp', u32(across, down));
const sound = trak({ id: 2, kind: 'soun', entry: soundEntry() });

describe('an MP4', () => {
  test('says what players need to know', () => {
    expect(read(movie(mvhd(), trak(), sound))).toEqual({
      container: 'mp4',
      videoCodec: 'avc',
      audioCodec: 'aac',
      bitDepth: null,
      chroma: null,
      durationMs: 4_000,
      width: 320,
      height: 180,
      needs: 0,
      reason: null,
      details: { title: null, description: null, recordedAt: null },
    });
  });

  test('may have its index at its end, behind a box of 64 bits', () => {
    const large = Buffer.concat([u32(1), Buffer.from('mdat'), u64(16n + 40n), Buffer.alloc(40)]);
    expect(read(Buffer.concat([ftyp, large, moov(mvhd(), trak())])).reason).toBeNull();
  });

  test('may end with a box that goes to the end', () => {
    expect(read(Buffer.concat([ftyp, moov(mvhd(), trak()), box('mdat', 'pictures', 0)])).reason).toBeNull();
  });

  test('may be followed by bytes that are no box', () => {
    expect(read(Buffer.concat([movie(mvhd(), trak()), Buffer.alloc(40)])).reason).toBeNull();
  });

  test('may be QuickTime without a brand', () => {
    expect(read(Buffer.concat([moov(mvhd(), trak()), mdat]))).toMatchObject({ container: 'mov', reason: null });
  });

  test.each([
    ['turned by its track', trak({ isTurned: true }), 180, 320],
    ['stretched', trak({ entry: pictureEntry('avc1', 320, 180, pasp(4, 3)) }), 427, 180],
    ['squeezed', trak({ entry: pictureEntry('avc1', 320, 180, pasp(3, 4)) }), 320, 240],
    ['stretched and turned', trak({ isTurned: true, entry: pictureEntry('avc1', 320, 180, pasp(4, 3)) }), 180, 427],
    ['stretched by nothing', trak({ entry: pictureEntry('avc1', 320, 180, pasp(0, 0)) }), 320, 180],
    ['stretched by a division by zero', trak({ entry: pictureEntry('avc1', 320, 180, pasp(1, 0)) }), 320, 180],
  ])('%s is as large as it is shown', (_, videoTrack, width, height) => {
    expect(read(movie(mvhd(), videoTrack))).toMatchObject({ width, height, reason: null });
  });

  test('is as large as it is shown when the whole movie is turned', () => {
    expect(read(movie(mvhd({ isTurned: true }), trak()))).toMatchObject({ width: 180, height: 320 });
    expect(read(movie(mvhd({ isTurned: true }), trak({ isTurned: true })))).toMatchObject({ width: 320, height: 180 });
  });

  test('that says its pictures are elsewhere is read like any other, and nothing but it', () => {
    const elsewhere = (place: string) =>
      box('dinf', box('dref', Buffer.concat([u32(0, 1), box('url ', Buffer.concat([u32(0), Buffer.from(place)]))])));
    for (const place of ['file:///etc/passwd', 'http://127.0.0.1:9/a.mp4'])
      expect(read(movie(mvhd(), trak({ media: elsewhere(place) }))).reason).toBeNull();
    expect(read(Buffer.concat([ftyp, moov(mvhd(), trak({ media: elsewhere('other.mp4') }))])).reason).toBe('truncated');
  });

  test('plays with a text after its end, and not where a part of it is missing there', () => {
    const whole = movie(mvhd(), trak());
    expect(read(Buffer.concat([whole, Buffer.from('Sent by a tool that signs its files')])).reason).toBeNull();
    for (const type of ['moof', 'mdat', 'styp', 'sidx'])
      expect(read(Buffer.concat([whole, box(type, 'cut', 5_000)])).reason).toBe('truncated');
  });

  test.each([
    ['avc1', 'avc', null],
    ['avc3', 'avc', null],
    ['vp08', 'vp8', null],
    ['vp09', 'vp9', null],
    ['av01', 'av1', null],
    ['hvc1', 'hevc', null],
    ['hev1', 'hevc', null],
    ['dvh1', 'hevc', null],
    ['apch', 'prores', 'codec_prores'],
    ['mp4v', null, 'codec_unknown'],
    ['encv', null, 'codec_unknown'],
  ])('with %s pictures is %s', (type, videoCodec, reason) => {
    expect(read(movie(mvhd(), trak({ entry: pictureEntry(type) })))).toMatchObject({ videoCodec, reason });
  });

  const bytes = (...list: number[]) => Buffer.from(list);
  /** The last numbers are the sequence, with its length. */
  const avcC = (profile: number, ...sequence: number[]) =>
    box('avcC', bytes(1, profile, 0, 30, 0xff, sequence.length === 0 ? 0xe0 : 0xe1, 0, sequence.length, ...sequence));
  const hvcC = (chroma: number, depth: number) =>
    box('hvcC', Buffer.concat([Buffer.alloc(16), bytes(0xfc | chroma, 0xf8 | (depth - 8), 0xf8, 0, 0, 0, 0)]));

  test.each([
    ['Main', 'avc1', avcC(77, 0x67, 77, 0, 30, 0xff), 8, '4:2:0', []],
    ['High by its profile alone', 'avc1', avcC(100), 8, '4:2:0', []],
    ['High 10 by its profile alone', 'avc1', avcC(110), 10, '4:2:0', ['avc-10-bit']],
    // 1 (set 0), 010 (4:2:0), 011 (10 bits), 011.
    ['High 10 by its sequence', 'avc1', avcC(110, 0x67, 110, 0, 30, 0b1010_0110, 0xff), 10, '4:2:0', ['avc-10-bit']],
    ['High 10 with 8 bits', 'avc1', avcC(110, 0x67, 110, 0, 30, 0b1010_1100, 0xff), 8, '4:2:0', []],
    // 1, 011 (4:2:2), 1 (8 bits).
    ['High 4:2:2', 'avc1', avcC(122, 0x67, 122, 0, 30, 0b1011_1100, 0xff), 8, '4:2:2', ['avc-4:2:2']],
    // 1, 00100 (4:4:4), 0 (no separate planes), 1 (8 bits).
    ['High 4:4:4', 'avc1', avcC(244, 0x67, 244, 0, 30, 0b1001_0001, 0xff), 8, '4:4:4', ['avc-4:4:4']],
    ['a sequence of noughts', 'avc1', avcC(100, 0x67, 100, 0, 30, 0, 0, 0, 0, 0), 8, '4:2:0', []],
    ['a record that is cut', 'avc1', box('avcC', bytes(1, 110)), null, null, []],
    ['HEVC Main', 'hvc1', hvcC(1, 8), 8, '4:2:0', ['hevc']],
    ['HEVC Main 10', 'hev1', hvcC(1, 10), 10, '4:2:0', ['hevc', 'hevc-10-bit']],
    ['HEVC 4:2:2', 'hvc1', hvcC(2, 10), 10, '4:2:2', ['hevc', 'hevc-10-bit']],
    ['VP9', 'vp09', box('vpcC', bytes(1, 0, 0, 0, 0, 10, 0x82, 1, 1, 1, 0, 0)), 8, '4:2:0', ['vp9']],
    [
      'VP9 profile 2',
      'vp09',
      box('vpcC', bytes(1, 0, 0, 0, 2, 10, 0xa2, 9, 16, 9, 0, 0)),
      10,
      '4:2:0',
      ['vp9', 'vp9-10-bit'],
    ],
    ['VP9 as it was first', 'vp09', box('vpcC', bytes(0, 0, 0, 0, 1, 10, 0x82, 0x30, 0, 0)), 8, '4:4:4', ['vp9']],
    ['AV1', 'av01', box('av1C', bytes(0x81, 0, 0x0c, 0)), 8, '4:2:0', ['av1']],
    ['AV1 with 10 bits', 'av01', box('av1C', bytes(0x81, 0, 0x4c, 0)), 10, '4:2:0', ['av1', 'av1-10-bit']],
    ['AV1 with 12 bits', 'av01', box('av1C', bytes(0x81, 0x40, 0x68, 0)), 12, '4:2:2', ['av1', 'av1-10-bit']],
    ['AV1 in shades of grey', 'av01', box('av1C', bytes(0x81, 0, 0x1c, 0)), 8, '4:0:0', ['av1']],
    ['VP8', 'vp08', box('pasp', u32(1, 1)), 8, '4:2:0', ['vp8']],
  ] as const)('says how samples are stored: %s', (_, type, configuration, bitDepth, chroma, needs) => {
    const found = read(movie(mvhd(), trak({ entry: pictureEntry(type, 320, 180, configuration) })));
    expect(found).toMatchObject({ bitDepth, chroma, reason: null });
    expect(listNeeds(found.needs)).toEqual(needs);
  });

  test.each([
    ['mp4a', 0x40, 'aac'],
    ['mp4a', 0x6b, 'mp3'],
    ['mp4a', 0xff, 'other'],
    ['Opus', 0, 'opus'],
    ['fLaC', 0, 'flac'],
    ['ac-3', 0, 'ac3'],
    ['ec-3', 0, 'eac3'],
    ['sowt', 0, 'pcm'],
    ['samr', 0, 'other'],
    ['enca', 0, null],
  ])('with %s sound of type %i has %s', (type, objectType, audioCodec) => {
    expect(read(movie(mvhd(), trak(), trak({ kind: 'soun', entry: soundEntry(type, objectType) })))).toMatchObject({
      audioCodec,
      reason: null,
    });
  });

  test('is judged by its film, not by a cover beside it', () => {
    expect(read(movie(mvhd(), trak({ entry: pictureEntry('jpeg', 9_000, 9_000) }), trak({ id: 2 })))).toMatchObject({
      videoCodec: 'avc',
      width: 320,
    });
  });

  test('is judged by the track that is switched on', () => {
    const off = trak({ isDefault: false, entry: pictureEntry('vp09', 640, 360) });
    expect(read(movie(mvhd(), off, trak({ id: 2 })))).toMatchObject({ videoCodec: 'avc', width: 320 });
  });
});

describe('the duration of an MP4', () => {
  const fragmented = (mvex: Buffer, ...pieces: Buffer[]) =>
    Buffer.concat([ftyp, moov(mvhd({ duration: 0 }), trak({ duration: 0 }), mvex), ...pieces, mdat]);
  const trex = box('trex', u32(0, 1, 1, 500, 0, 0));
  const sidx = (begin: number, ...lengths: number[]) =>
    box(
      'sidx',
      Buffer.concat([u32(0, 1, 1_000, begin, 0, lengths.length), ...lengths.map((length) => u32(100, length, 0))]),
    );
  const fragment = (begin: number, trun: Buffer) =>
    box('moof', box('traf', Buffer.concat([box('tfhd', u32(0, 1)), box('tfdt', u32(0, begin)), box('trun', trun)])));

  test.each([
    ['comes from its movie', movie(mvhd({ duration: 7_500 }), trak()), 7_500],
    ['may be written in 64 bits', movie(mvhd({ duration: 7_500n }), trak()), 7_500],
    [
      'comes from its longest track when the movie has none',
      movie(mvhd({ duration: 0 }), trak({ duration: 1_000 }), trak({ duration: 3_000 })),
      3_000,
    ],
    [
      'comes from its tracks when the movie does not know',
      movie(mvhd({ duration: 0xffffffff }), trak({ duration: 1_000 })),
      1_000,
    ],
    [
      'comes from its tracks when the movie does not know in 64 bits',
      movie(mvhd({ duration: -1n }), trak({ duration: 1_000 })),
      1_000,
    ],
    [
      'comes from its tracks when a second has no units',
      movie(mvhd({ timescale: 0 }), trak({ duration: 1_000 })),
      1_000,
    ],
    ['is unknown when nobody says it', movie(mvhd({ duration: 0 }), trak({ duration: 0 })), null],
    ['in fragments comes from its extension', fragmented(box('mvex', box('mehd', u32(0, 9_000)))), 9_000],
    ['in fragments comes from its segment index', fragmented(box('mvex', trex), sidx(0, 2_000, 2_500)), 4_500],
    [
      'in fragments comes from the last of its segment indexes',
      fragmented(box('mvex', trex), sidx(0, 2_000), sidx(2_000, 1_500)),
      3_500,
    ],
    [
      'in fragments comes from the last of them, by the usual length of a sample',
      fragmented(box('mvex', trex), fragment(2_000, u32(0, 3))),
      3_500,
    ],
    [
      'in fragments comes from the last of them, by the length of each',
      fragmented(box('mvex', trex), fragment(2_000, u32(0x100, 2, 40, 60))),
      2_100,
    ],
  ])('%s', (_, bytes, durationMs) => {
    expect(read(bytes)).toMatchObject({ durationMs, reason: null });
  });
});

describe('an MP4 that begins with a gap', () => {
  const late = (gap: number) =>
    trak({
      edits: [
        [gap, -1],
        [4_000, 80],
      ],
    });
  const lateSound = (gap: number) =>
    trak({
      kind: 'soun',
      entry: soundEntry(),
      edits: [
        [gap, -1],
        [4_000, 0],
      ],
    });
  const traf = (id: number, begin: number) =>
    box('traf', Buffer.concat([box('tfhd', u32(0, id)), box('tfdt', u32(0, begin)), box('trun', u32(0, 3))]));
  const trex = box('mvex', box('trex', u32(0, 1, 1, 500, 0, 0)));
  const fragmented = (track: Buffer, ...begins: number[]) =>
    Buffer.concat([
      ...[ftyp, moov(mvhd({ duration: 0 }), track, trex)],
      ...begins.map((begin) => box('moof', traf(1, begin))),
      mdat,
    ]);
  const inFragments = trak({ duration: 0, stts: runs() });

  test.each([
    ['by its edit lists', movie(mvhd({ duration: 9_000 }), late(5_000), lateSound(5_000)), 4_000, 'begins_late'],
    [
      'by the shorter one of them',
      movie(mvhd({ duration: 9_000 }), late(5_000), lateSound(3_000)),
      6_000,
      'begins_late',
    ],
    ['before its picture alone', movie(mvhd({ duration: 9_000 }), late(5_000), lateSound(0)), 9_000, null],
    ['that nobody notices', movie(mvhd({ duration: 9_000 }), late(900), lateSound(900)), 9_000, null],
    ['by its first fragment', fragmented(inFragments, 3_600_000, 3_602_000), 3_500, 'begins_late'],
    ['of its later fragments alone', fragmented(inFragments, 0, 3_602_000), 3_603_500, null],
    ['of the fragments behind its own samples', fragmented(trak({ duration: 0 }), 4_000, 6_000), 7_500, null],
    [
      'that its edit list takes away',
      fragmented(trak({ duration: 0, stts: runs(), edits: [[0, 2_000]] }), 2_000),
      3_500,
      null,
    ],
  ])('%s is as long as it plays', (_, bytes, durationMs, reason) => {
    expect(read(bytes)).toMatchObject({ durationMs, reason });
  });
});

const tracks = (count: number) => Array.from({ length: count }, (_, index) => trak({ id: index + 1 }));
const nested = (type: string, depth: number) => {
  const bytes = Buffer.alloc(depth * 8);
  for (let level = 0; level < depth; level += 1) {
    bytes.writeUInt32BE((depth - level) * 8, level * 8);
    bytes.write(type, level * 8 + 4, 'latin1');
  }
  return bytes;
};
const smallBoxes = (count: number) => Buffer.concat(Array.from({ length: count }, () => box('free')));
const inTrack = (...boxes: Buffer[]) => movie(mvhd(), box('trak', Buffer.concat(boxes)));

const hostile: [what: string, bytes: Buffer, reason: string][] = [
  ['nothing', Buffer.alloc(0), 'empty'],
  ['one byte', Buffer.from('x'), 'not_a_video'],
  ['a brand alone', ftyp, 'no_index'],
  ['media without an index', Buffer.concat([ftyp, mdat]), 'no_index'],
  ['an index without media', Buffer.concat([ftyp, moov(mvhd(), trak())]), 'truncated'],
  ['an index of noise', Buffer.concat([ftyp, box('moov', Buffer.alloc(64, 0xee)), mdat]), 'no_index'],
  ['an index that ends beyond the file', Buffer.concat([ftyp, box('moov', mvhd(), 5_000)]), 'truncated'],
  ['media that end beyond the file', Buffer.concat([ftyp, moov(mvhd(), trak()), box('mdat', 'x', 5_000)]), 'truncated'],
  [
    'media of 2^64 bytes',
    Buffer.concat([ftyp, moov(mvhd(), trak()), u32(1), Buffer.from('mdat'), u64(-1n)]),
    'truncated',
  ],
  ['an index of no size and no content', Buffer.concat([ftyp, box('moov', '', 0)]), 'truncated'],
  ['a box that is smaller than its head', Buffer.concat([ftyp, box('free', '', 4), movie(mvhd(), trak())]), 'no_index'],
  [
    'a large box that is smaller than its head',
    Buffer.concat([ftyp, u32(1), Buffer.from('free'), u64(8n), movie(mvhd(), trak())]),
    'no_index',
  ],
  [
    'a box that begins where it ends',
    Buffer.concat([ftyp, u32(1), Buffer.from('free'), u64(0n), movie(mvhd(), trak())]),
    'no_index',
  ],
  ['no tracks', movie(mvhd()), 'no_index'],
  ['sound alone', movie(mvhd(), sound), 'no_picture'],
  ['subtitles alone', movie(mvhd(), trak({ kind: 'text' })), 'no_picture'],
  ['a track without a sample entry', movie(mvhd(), trak({ entry: Buffer.alloc(0) })), 'no_picture'],
  ['an empty track', inTrack(), 'no_picture'],
  ['a picture of 0 × 0', movie(mvhd(), trak({ entry: pictureEntry('avc1', 0, 0) })), 'picture_size'],
  ['a picture of 16k × 16k', movie(mvhd(), trak({ entry: pictureEntry('avc1', 16_384, 16_384) })), 'picture_size'],
  [
    'a picture stretched beyond all sides',
    movie(mvhd(), trak({ entry: pictureEntry('avc1', 320, 180, pasp(0xffffffff, 1)) })),
    'picture_size',
  ],
  [
    'a picture squeezed to nothing',
    movie(mvhd(), trak({ entry: pictureEntry('avc1', 320, 180, pasp(1, 0xffffffff)) })),
    'picture_size',
  ],
  ['65 tracks', movie(mvhd(), ...tracks(65)), 'too_complex'],
  ['1,000 tracks', movie(mvhd(), ...tracks(1_000)), 'too_complex'],
  ['a negative duration', movie(mvhd({ duration: -4_000n }), trak()), 'damaged'],
  ['a duration of ten years', movie(mvhd({ duration: 315_360_000_000n }), trak()), 'damaged'],
  [
    '0.001 pictures a second',
    movie(mvhd({ duration: 3_000_000 }), trak({ stts: runs([3, 1_000_000]) })),
    'too_few_pictures',
  ],
  ['an index within an index, 100,000 deep', Buffer.concat([ftyp, nested('moov', 100_000), mdat]), 'no_index'],
  ['a track within a track, 100,000 deep', movie(mvhd(), nested('trak', 100_000)), 'no_picture'],
  ['media boxes, 100,000 deep', inTrack(nested('mdia', 100_000)), 'no_picture'],
  ['100,000 small boxes in the index', movie(smallBoxes(100_000), mvhd(), trak()), 'too_complex'],
  [
    '100,000 small boxes before the index',
    Buffer.concat([ftyp, smallBoxes(100_000), movie(mvhd(), trak())]),
    'no_index',
  ],
  ['a sample entry of ones', movie(mvhd(), trak({ entry: Buffer.alloc(5_000, 0xff) })), 'no_picture'],
  ['a movie header of nothing, at the end of all', Buffer.concat([ftyp, mdat, moov(box('mvhd'))]), 'damaged'],
];

test.each(hostile)('a file with %s costs little and gives a reason', (_, bytes, reason) => {
  const source = countedSource(bytes);
  expect(probe(source).reason).toBe(reason);
  expect(source.bytesRead).toBeLessThanOrEqual(maxBytesRead);
});

test.each([
  ['an stts of 4 G runs', movie(mvhd(), trak({ stts: box('stts', u32(0, 0xffffffff, 40, 100)) }))],
  ['a box in a track that is as large as it can say', inTrack(box('free', '', 0xffffffff))],
  [
    'a sidx of more pieces than it holds',
    Buffer.concat([movie(mvhd(), trak(), box('mvex')), box('sidx', u32(0, 1, 1_000, 0, 0, 0xffff))]),
  ],
])('%s allocates and reads nothing for what it declares', (_, bytes) => {
  const source = countedSource(bytes);
  probe(source);
  expect(source.reads).toBeLessThan(8);
});

describe('a film of many hours in fragments', () => {
  const beginning = movie(mvhd({ duration: 0 }), trak({ duration: 0 }), box('mvex'));
  const index = (begin: number, length: number) => box('sidx', u32(0, 1, 1_000, begin, 0, 1, 100, length, 0));
  const fragments = (make: (place: number) => Buffer) => Array.from({ length: 15_000 }, (_, place) => make(place));
  const fragment = box('moof', Buffer.alloc(92));

  test.each([
    ['has the duration of its index', [index(0, 9_000_000), ...fragments(() => fragment)], 9_000_000],
    [
      'has no duration when each fragment has an index',
      fragments((place) => Buffer.concat([index(place * 2_000, 2_000), fragment])),
      null,
    ],
  ])('%s, and is not walked to its end', (_, boxes, durationMs) => {
    const source = countedSource(Buffer.concat([beginning, ...boxes]));
    expect(probe(source)).toMatchObject({ reason: null, durationMs });
    expect(source.reads).toBeLessThan(100);
  });
});

test.each([2 ** 32 + 1, 5 * 2 ** 30 - 1, 5 * 2 ** 30])('a file of %i bytes is read by its ends', (size) => {
  const descriptor = openSync(join(temporaryFolder(), 'large.mp4'), 'w+');
  onTestFinished(() => closeSync(descriptor));
  const index = moov(mvhd(), trak());
  const media = Buffer.concat([u32(1), Buffer.from('mdat'), u64(BigInt(size - ftyp.length - index.length))]);
  ftruncateSync(descriptor, size);
  writeSync(descriptor, Buffer.concat([ftyp, media]), 0, undefined, 0);
  writeSync(descriptor, index, 0, index.length, size - index.length);
  expect(probe(byteSourceOf(descriptor, size))).toMatchObject({ reason: null, durationMs: 4_000 });
});
