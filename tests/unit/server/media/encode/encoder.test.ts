import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test, vi } from 'vitest';
import type { Encoded } from '#server/media/encode/encoder.ts';
import { probe } from '#server/media/probe.ts';
import { corpusEntry } from '#tests/support/media/corpus/corpus.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { encodeFile, encoderUnderTest } from '#tests/support/media/encoder-under-test.ts';
import { ffmpegs, longVideo, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { readKeyframeTimes } from '#tests/support/media/keyframe-times.ts';
import { processesIn } from '#tests/support/processes/processes.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { countedSource } from '../containers/counted-source.ts';

const pattern = (size: string, seconds: number, rate = 30) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=s=${size}:r=${rate}:d=${seconds}`,
];
const tone = (seconds: number) => ['-f', 'lavfi', '-i', `sine=d=${seconds}`];

/** What a file is when players read its headers, and whether its index stands in front. */
function readFacts(file: string) {
  const bytes = readFileSync(file);
  const { container, videoCodec, audioCodec, durationMs, width, height, reason } = probe(countedSource(bytes));
  const startsAtOnce = bytes.indexOf('moov') < bytes.indexOf('mdat');
  return { container, videoCodec, audioCodec, durationMs, width, height, reason, startsAtOnce };
}

async function describeFile({ ffmpeg }: Pick<ReturnType<typeof encoderUnderTest>, 'ffmpeg'>, path: string) {
  await using file = await open(path);
  return await ffmpeg.describe(file, new AbortController().signal);
}

const renditionsOf = ({ files }: Encoded) => files.map(({ rendition }) => rendition);

describe.each(ffmpegs)('with %s', (program) => {
  // It looks for a sandbox and tries its encoders once.
  const ready = encoderUnderTest(program, { atEnd: afterFile });

  test('says what encodes', async () => {
    expect(await ready.encoder.facts()).toEqual({ encoder: 'libx264', isHardware: false, mapsTones: true });
  });

  test.each([
    ['vertical.mp4', 'grid'],
    ['rotated-180.mov', 'source'],
    ['silent.avi', 'grid'],
    ['odd-size.avi', 'grid'],
    ['transport-stream.mp4', 'source'],
    ['avc-ac3.mkv', 'source'],
  ] as const)('%s starts at once afterwards, as %s, with its stills', async (name, rendition) => {
    const entry = corpusEntry(name);
    const even = (side: number) => side - (side % 2);
    const made = await encodeFile(ready, corpusFile(name), { durationMs: entry.durationMs }, async (encoded) => {
      const [file] = encoded.files;
      const path = file?.file ?? '';
      const stills = await sharp(encoded.storyboard?.webp).metadata();
      return { renditions: renditionsOf(encoded), ...readFacts(path), stills };
    });
    if (typeof made === 'string') throw new Error(made);
    expect(made).toMatchObject({
      renditions: [rendition],
      container: 'mp4',
      videoCodec: 'avc',
      audioCodec: entry.hasSound ? 'aac' : null,
      width: even(entry.width),
      height: even(entry.height),
      reason: null,
      startsAtOnce: true,
      stills: { format: 'webp' },
    });
    expect(Math.abs(Number(made.durationMs) - entry.durationMs)).toBeLessThan(200);
    expect(ready.leftOver()).toEqual([]);
  });

  test.each([
    ['late.mp4', 'libx264', 'source'],
    ['late.mkv', 'libx264', 'source'],
    ['late-old.mp4', 'mpeg4', 'grid'],
  ])('%s begins with a gap, and is as long as it plays afterwards', async (name, codec, rendition) => {
    const file = makeWithFfmpeg(
      join(temporaryFolder(), name),
      ...[...pattern('320x180', 4), ...tone(4), '-c:v', codec, '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
      ...['-output_ts_offset', '20'],
    );
    const { durationMs, reason } = readFacts(file);
    expect(reason).toBe(codec === 'libx264' ? 'begins_late' : 'codec_unknown');
    const made = await encodeFile(ready, file, { durationMs, copy: 'alone' }, async (encoded) => ({
      renditions: renditionsOf(encoded),
      ...readFacts(encoded.files[0]?.file ?? ''),
    }));
    if (typeof made === 'string') throw new Error(made);
    expect(made).toMatchObject({ renditions: [rendition], reason: null });
    for (const length of [durationMs, made.durationMs]) expect(Math.abs(Number(length) - 4_000)).toBeLessThan(200);
  });

  test('a chosen audio track is the only one of its file, whose picture is copied; both are listed before', async () => {
    const file = makeWithFfmpeg(
      join(temporaryFolder(), 'two.mp4'),
      ...[...pattern('320x180', 2), ...tone(2), ...tone(2)],
      ...['-map', '0:v', '-map', '1:a', '-map', '2:a', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'],
      ...['-c:a:0', 'aac', '-c:a:1', 'ac3', '-ac:a:0', '1', '-ac:a:1', '6'],
      ...['-metadata:s:a:0', 'language=eng', '-metadata:s:a:1', 'language=deu', '-disposition:a:0', 'default'],
    );
    expect(await encodeFile(ready, file, { renditions: [] }, async ({ notes }) => notes)).toEqual([
      { kind: 'audio-track', track: 0, language: 'en', label: 'English', isDefault: true },
      { kind: 'audio-track', track: 1, language: 'de', label: 'German, surround', isDefault: false },
    ]);
    const made = await encodeFile(ready, file, { audioTrack: 1, copy: 'alone' }, async (encoded) => ({
      renditions: renditionsOf(encoded),
      extras: [encoded.storyboard, encoded.subtitles, encoded.notes],
      ...readFacts(encoded.files[0]?.file ?? ''),
      tracks: (await describeFile(ready, encoded.files[0]?.file ?? '')).audioTracks,
    }));
    expect(made).toMatchObject({
      renditions: ['source'],
      extras: [null, [], []],
      ...{ container: 'mp4', videoCodec: 'avc', audioCodec: 'aac', width: 320, height: 180 },
      tracks: [{ channels: 2 }],
    });
    expect(await encodeFile(ready, file, { audioTrack: 2 }, async () => 'made')).toBe('unreadable');
    expect(ready.leftOver()).toEqual([]);
  });

  test.each([
    ['sound-alone.avi', 'no_picture'],
    ['hls-playlist.mp4', 'not_a_video'],
  ])('%s is refused: %s', async (name, fault) => {
    expect(await encodeFile(ready, corpusFile(name), {}, async () => 'made')).toBe(fault);
    expect(ready.leftOver()).toEqual([]);
  });

  test('one decode makes both pictures, with a key frame every two seconds, and a sheet of stills', async () => {
    const file = makeWithFfmpeg(
      join(temporaryFolder(), 'a.avi'),
      ...pattern('640x720', 5, 30),
      ...tone(5),
      '-c:v',
      'mpeg4',
    );
    const told: number[] = [];
    const order = { renditions: ['grid', 'hd'], report: (progress: number) => void told.push(progress) } as const;
    const made = await encodeFile(ready, file, order, async ({ files, storyboard }) => ({
      sizes: files.map(({ rendition, width, height }) => `${rendition} ${width}x${height}`),
      keyframes: files.map((encoding) => readKeyframeTimes(encoding.file)),
      storyboard,
    }));
    expect(made).toMatchObject({
      sizes: ['hd 640x720', 'grid 540x608'],
      keyframes: [
        [0, 2, 4],
        [0, 2, 4],
      ],
      storyboard: { columns: 3, rows: 1, tileWidth: 142, tileHeight: 160, intervalMs: 2_000 },
    });
    expect(told.every((progress) => progress >= 0 && progress < 100)).toBe(true);
  });

  test('a longer film takes no more memory', async () => {
    // More pictures than would find room.
    const color = ['-f', 'lavfi', '-i', 'color=red:s=1920x1080:r=30:d=12'];
    const film = makeWithFfmpeg(join(temporaryFolder(), 'a.avi'), ...color, '-c:v', 'mpeg4', '-threads', '2');
    const frugal = encoderUnderTest(program, { limits: { memoryMegabytes: 1_300 } });
    const made = await encodeFile(frugal, film, { renditions: ['grid', 'hd'] }, async (encoded) => ({
      renditions: renditionsOf(encoded),
      storyboard: encoded.storyboard,
    }));
    expect(made).toMatchObject({ renditions: ['hd', 'grid'], storyboard: { columns: 6, rows: 1 } });
  });

  test('where and by whom it was filmed stays behind', async () => {
    const secrets = [
      '-metadata',
      'location=+52.5200+013.4050/',
      '-metadata',
      'title=Ada at home',
      '-metadata:s:v',
      'comment=Ada',
    ];
    const source = join(temporaryFolder(), 'a.mkv');
    makeWithFfmpeg(source, ...pattern('64x64', 1), '-c:v', 'libx264', '-pix_fmt', 'yuv420p', ...secrets);
    const left = (copy: 'beside' | 'none') =>
      encodeFile(ready, source, { copy }, async ({ files }) =>
        files.map(({ rendition, file }) => `${rendition} ${/Ada|52\.52/.test(readFileSync(file, 'latin1'))}`),
      );
    expect(readFileSync(source, 'latin1')).toMatch(/Ada.*/);
    expect(await left('beside')).toEqual(['source false']);
    expect(await left('none')).toEqual(['grid false']);
  });

  test('a text in ASS keeps what follows its blank lines, and loses its drawings', async () => {
    const folder = temporaryFolder();
    const dialogue = (text: string) => `Dialogue: 0,0:00:00.10,0:00:00.90,Default,,0,0,0,,${text}\n`;
    const events = '[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n';
    const texts = ['{\\an8\\i1}one{\\i0}\\N\\Ntwo\\hwords', '{\\p1}m 0 0 l 100 0 100 100{\\p0}'];
    const script = join(folder, 'a.ass');
    writeFileSync(script, `[Script Info]\nScriptType: v4.00+\n\n${events}${texts.map(dialogue).join('')}`);
    const video = [...pattern('160x90', 1), '-i', script, '-c:v', 'libx264', '-c:s', 'copy'];
    const file = makeWithFfmpeg(join(folder, 'a.mkv'), ...video);
    const found = await encodeFile(ready, file, { renditions: [] }, async ({ subtitles }) => subtitles);
    if (typeof found === 'string') throw new Error(found);
    const [, ...cues] = String(found[0]?.vtt).split(/\n\n.*-->.*\n/);
    expect(cues).toEqual(['<i>one</i>\ntwo\u00a0words\n']);
  });

  test('text tracks become WebVTT; pictures and further sound are named', async () => {
    const found = await encodeFile(
      ready,
      corpusFile('subtitles-srt.mkv'),
      { renditions: [] },
      async (encoded) => encoded,
    );
    if (typeof found === 'string') throw new Error(found);
    expect(found.files).toEqual([]);
    expect(found.storyboard).toMatchObject({ columns: 1, rows: 1 });
    expect(found.subtitles).toMatchObject([{ track: 0, language: 'eng' }]);
    expect(found.subtitles[0]?.vtt.toString()).toMatch(/^WEBVTT\n\n00:\d\d:\d\d\.\d{3} --> /);
    const inside = (name: string) =>
      encodeFile(ready, corpusFile(name), { renditions: [] }, async ({ notes }) => notes);
    expect(await inside('subtitles-pgs.mkv')).toEqual([{ kind: 'picture-subtitles', language: 'eng' }]);
    expect(await inside('languages.mkv')).toMatchObject([
      { kind: 'audio-track', track: 0, isDefault: true },
      { kind: 'audio-track', track: 1, language: 'de', label: 'German', isDefault: false },
    ]);
  });

  test('more than it may take is refused', async () => {
    const order = { maxBytes: 2_000 };
    expect(await encodeFile(ready, corpusFile('silent.avi'), order, async () => 'made')).toBe('output');
  });

  test('nothing stays of what nobody wants any more', async () => {
    const file = longVideo(temporaryFolder());
    const control = new AbortController();
    const order = { signal: control.signal, report: () => control.abort(new Error('cancelled')) };
    await expect(encodeFile(ready, file, order, async () => 'made')).rejects.toThrow('cancelled');
    expect(readdirSync(ready.work)).toEqual([]);
    await vi.waitFor(() => expect(processesIn(ready.work)).toEqual([]));
  });
});
