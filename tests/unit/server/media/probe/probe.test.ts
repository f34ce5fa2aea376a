import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { beforeAll, describe, expect, test } from 'vitest';
import { probe } from '#server/media/probe.ts';
import { describeUnplayable, unplayable } from '#server/media/unplayable.ts';
import { corpus } from '#tests/support/media/corpus/corpus.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { ebmlHead, film, info, pictureTrack, segment, soundTrack, tracks } from '#tests/support/media/ebml-film.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { ftyp, largeVideo, smallVideo } from '#tests/support/media/videos.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { countedSource, maxBytesRead } from '../containers/counted-source.ts';
import { movie, mvhd, soundEntry, trak } from '../containers/iso-movie.ts';

const whole = readFileSync(smallVideo());
const read = (bytes: Uint8Array) => probe(countedSource(bytes));

describe('a video that was cut', () => {
  test('anywhere is found unplayable', () => {
    for (let length = 0; length < whole.length; length += 1)
      expect(read(whole.subarray(0, length)).reason, `at ${length}`).not.toBeNull();
  });

  test('anywhere is found unplayable as WebM', () => {
    const webm = film([pictureTrack(), soundTrack()]);
    for (let length = 0; length < webm.length; length += 1)
      expect(read(webm.subarray(0, length)).reason, `at ${length}`).not.toBeNull();
  });
});

test.each([
  ['AVI', Buffer.from('RIFF\x10\0\0\0AVI LIST'), 'container_avi'],
  ['WMV', Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), 'container_asf'],
  ['FLV', Buffer.from('FLV\x01\x05\0\0\0\x09'), 'container_flv'],
  ['MPEG', Buffer.from([0, 0, 1, 0xba]), 'container_mpeg'],
])('%s is refused by its container, and read no further', (_, bytes, reason) => {
  const source = countedSource(bytes);
  expect(probe(source).reason).toBe(reason);
  expect(source.reads).toBe(1);
});

/** What is known of a file, or why it is refused; and what it cost, which is bounded. */
function readCheaply(bytes: Uint8Array): void {
  const source = countedSource(bytes);
  const { reason, width, height } = probe(source);
  expect(reason !== null || (Number(width) > 0 && Number(height) > 0)).toBe(true);
  expect(source.bytesRead).toBeLessThanOrEqual(maxBytesRead);
}

describe('whatever the bytes are, reading them ends soon and with an answer:', () => {
  const beginnings = [
    new Uint8Array(),
    ftyp,
    movie(),
    ebmlHead(),
    Buffer.concat([ebmlHead(), segment([info(), tracks([])])]),
  ];

  test('random ones behind a true beginning', () => {
    const noise = fc.uint8Array({ maxLength: 9_000 });
    fc.assert(
      fc.property(fc.constantFrom(...beginnings), noise, (beginning, rest) =>
        readCheaply(Buffer.concat([beginning, rest])),
      ),
    );
  });

  const originals = [
    whole,
    movie(mvhd(), trak(), trak({ id: 2, kind: 'soun', entry: soundEntry() })),
    film([pictureTrack(), soundTrack()]),
  ];
  const values = fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255));
  const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), values), {
    minLength: 1,
    maxLength: 12,
  });

  test('those of a real header, some of them changed', () => {
    fc.assert(
      fc.property(fc.constantFrom(...originals), changes, (original, changed) => {
        const bytes = Buffer.from(original);
        for (const [place, value] of changed) bytes[Math.floor(place * (bytes.length - 1))] = value;
        readCheaply(bytes);
      }),
      { numRuns: 2_000 },
    );
  });

  test('those of a real header, some of them repeated or left out', () => {
    const pieces = fc.array(fc.tuple(fc.nat(2_000), fc.nat(2_000)), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...originals), pieces, (original, cuts) =>
        readCheaply(Buffer.concat(cuts.map(([a, b]) => original.subarray(Math.min(a, b), Math.max(a, b))))),
      ),
      { numRuns: 500 },
    );
  });
});

/** The same facts, as an independent reader finds them. */
async function askMediabunny(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const videoTrack = await input.getPrimaryVideoTrack();
  const sound = await input.getPrimaryAudioTrack();
  const seconds = await input.getDurationFromMetadata();
  return {
    videoCodec: videoTrack && (await videoTrack.getCodec()),
    audioCodec: sound && ((await sound.getCodec())?.replace(/^pcm-.*/, 'pcm') ?? null),
    durationMs: seconds === null ? null : Math.round(seconds * 1_000),
    width: videoTrack && (await videoTrack.getDisplayWidth()),
    height: videoTrack && (await videoTrack.getDisplayHeight()),
  };
}

describe('mediabunny finds the same in', () => {
  const repository = [smallVideo(), largeVideo()].flatMap((file) =>
    readdirSync(join(file, '..')).map((name) => join(file, '..', name)),
  );

  test.each(repository.filter((file) => file.endsWith('.mp4')))('%s', async (file) => {
    const bytes = readFileSync(file);
    expect(read(bytes)).toMatchObject({ ...(await askMediabunny(bytes)), reason: null });
  });
});

/** Bits of a sample by the codec's parameters (RFC 6381); null where they leave them open. */
function depthOf(parameters: string | null): number | null {
  const [family = '', ...fields] = parameters?.split('.') ?? [];
  if (family.startsWith('avc'))
    return (
      new Map([
        ['6e', 10],
        ['7a', 10],
        ['f4', null],
      ]).get(fields[0]?.slice(0, 2) ?? '') ?? 8
    );
  if (family.startsWith('hev') || family.startsWith('hvc')) return fields[0] === '2' ? 10 : 8;
  return Number(fields[family === 'vp09' ? 2 : 3] ?? 8);
}

describe('mediabunny finds the same depth and codecs in', () => {
  // Its parameters name the profile of 4:2:2 and 4:4:4 alone, and for AV1 in WebM it gives the usual ones.
  const isOpen = (need: string) => /4:[24]|av1-10-bit/.test(need);
  const files = corpus.filter(({ reason, needs }) => reason === null && !needs.some(isOpen));

  test.each(files)('$file', async ({ file }) => {
    const bytes = readFileSync(corpusFile(file));
    const input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    expect(read(bytes)).toMatchObject({
      videoCodec: await track?.getCodec(),
      bitDepth: depthOf((await track?.getCodecParameterString()) ?? null),
    });
  });
});

describe('mediabunny finds the same in what ffmpeg makes:', () => {
  let folder = '';
  beforeAll(() => {
    folder = temporaryFolder(afterFile);
    const sources = ['-f', 'lavfi', '-i', 'testsrc2=s=128x96:r=10:d=1', '-f', 'lavfi', '-i', 'sine=d=1'];
    makeWithFfmpeg(
      join(folder, 'first.mp4'),
      ...sources,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-bf',
      '2',
      '-c:a',
      'aac',
    );
    makeWithFfmpeg(
      join(folder, 'first.webm'),
      ...sources,
      '-c:v',
      'libvpx-vp9',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-c:a',
      'libopus',
    );
  });

  const copied = (from: string, ...more: string[]) => ['-i', from, '-c', 'copy', ...more];
  test.each([
    ['end.mp4', copied('first.mp4')],
    ['start.mp4', copied('first.mp4', '-movflags', '+faststart')],
    ['cut.mp4', ['-ss', '0.3', ...copied('first.mp4')]],
    ['camera.mov', copied('first.mp4')],
    ['player.m4v', copied('first.mp4', '-f', 'ipod')],
    ['film.mkv', copied('first.mp4')],
    ['vp9.webm', copied('first.webm')],
    ['vp9.mp4', copied('first.webm', '-an')],
    ['wide.mkv', copied('first.webm', '-aspect', '16:9')],
    ['wide.mp4', copied('first.mp4', '-aspect', '16:9')],
  ])('%s', async (name, [option = '', ...args]) => {
    const input = args.map((arg) => (arg.startsWith('first.') ? join(folder, arg) : arg));
    const bytes = readFileSync(
      makeWithFfmpeg(
        join(folder, name),
        option,
        ...(option === '-i' ? [join(folder, args[0] ?? ''), ...input.slice(1)] : input),
      ),
    );
    expect(read(bytes)).toMatchObject({ ...(await askMediabunny(bytes)), reason: null });
  });

  test.each([
    ['in fragments', ['-movflags', 'frag_keyframe+empty_moov']],
    ['in fragments with an index', ['-movflags', 'dash+frag_keyframe+global_sidx']],
  ])('an MP4 %s has the duration of the whole one, which mediabunny leaves open', (_, flags) => {
    const bytes = readFileSync(
      makeWithFfmpeg(join(folder, 'fragments.mp4'), '-i', join(folder, 'first.mp4'), '-c', 'copy', ...flags),
    );
    const { durationMs, reason } = read(bytes);
    expect(reason).toBeNull();
    // The pictures wait for two of theirs that are sorted, which only a file in one piece can say.
    expect(durationMs).toBeGreaterThanOrEqual(1_000);
    expect(durationMs).toBeLessThanOrEqual(1_250);
  });
});

test('a reason that this version does not know still has a sentence', () => {
  expect(describeUnplayable('from_the_future')).toMatch(/\.$/);
  expect(describeUnplayable('toString')).toMatch(/\.$/);
  for (const sentence of Object.values(unplayable)) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
