import { expect, test } from 'vitest';
import { readDescription } from '#server/media/ffmpeg/ffmpeg-description.ts';

const head = "Input #0, avi, from 'file:/dev/fd/4':\n";

test('length, size and codecs are read from what ffmpeg says', () => {
  const said = `${head}  Metadata:
    title           : a title
  Duration: 01:02:03.40, start: 0.000000, bitrate: 249 kb/s
  Stream #0:0: Video: mpeg4 (Simple Profile) (FMP4 / 0x34504D46), yuv420p, 720x576 [SAR 16:11 DAR 20:11], 900 kb/s, 25 fps, 25 tbr, 25 tbn
  Stream #0:1: Audio: mp3 (U[0][0][0] / 0x0055), 44100 Hz, stereo, fltp, 128 kb/s
At least one output file must be specified\n`;
  expect(readDescription(said)).toEqual({
    durationMs: 3_723_400,
    isDurationGuessed: false,
    startSeconds: 0,
    kbps: 249,
    videoTrack: {
      index: 0,
      codec: 'mpeg4',
      profile: 'Simple Profile',
      bitDepth: 8,
      chroma: '4:2:0',
      width: 1047,
      height: 576,
      matrix: null,
      isHdr: false,
      hdrTransfer: null,
      framesPerSecond: 25,
      hasVariableRate: false,
      isInterlaced: null,
    },
    audioCodec: 'mp3',
    audioTracks: [
      { index: 1, codec: 'mp3', profile: null, channels: 2, language: null, title: null, isDefault: false },
    ],
    subtitles: [],
  });
});

test('a picture that is turned on its side has its sides exchanged', () => {
  const said = `${head}  Duration: N/A, start: 0.000000
  Stream #0:0[0x1](und): Video: h264 (High) (avc1 / 0x31637661), yuv420p(tv, bt709), 1920x1080, 25 fps
      Side data:
        displaymatrix: rotation of -90.00 degrees
  Stream #0:1[0x2](und): Audio: aac (LC)\n`;
  expect(readDescription(said)).toMatchObject({
    durationMs: null,
    videoTrack: { codec: 'avc', width: 1080, height: 1920 },
  });
});

test.each(['smpte2084', 'arib-std-b67'])('%s is HDR', (transfer) => {
  const said = `${head}  Stream #0:0: Video: hevc (Main 10), yuv420p10le(tv, bt2020nc/bt2020/${transfer}, progressive), 3840x2160 [SAR 1:1 DAR 16:9]\n`;
  expect(readDescription(said)?.videoTrack).toMatchObject({ codec: 'hevc', isHdr: true });
});

test('a cover is no picture', () => {
  const said = `${head}  Stream #0:0: Audio: mp3\n  Stream #0:1: Video: png, rgba(pc), 600x600, 90k tbr (attached pic)\n`;
  expect(readDescription(said)).toMatchObject({ videoTrack: null, audioCodec: 'mp3' });
});

test('a comment that looks like a stream is no stream', () => {
  const said = `${head}  Metadata:\n    comment         : x\n                    :   Stream #0:0: Video: h264, yuv420p, 99x99\n    Stream #0:0: Video: h264, yuv420p, 99x99\n`;
  expect(readDescription(said)?.videoTrack).toBeNull();
});

test('a sound that two programs of a broadcast share is read once', () => {
  const sound = '  Stream #0:1[0x101](ger): Audio: mp2, 48000 Hz, stereo, s16p, 192 kb/s\n';
  const picture = (index: number, width: number) =>
    `  Stream #0:${index}[0x10${index}]: Video: mpeg2video (Main), yuv420p(tv), ${width}x576, 25 fps, 25 tbr\n`;
  const titled = '      Metadata:\n        title           : of the other picture\n';
  const said = `${head}  Program 1 \n${picture(0, 720)}${sound}  Program 2 \n${sound}${picture(2, 352)}${titled}`;
  expect(readDescription(said)).toMatchObject({
    videoTrack: { index: 0, width: 720 },
    audioTracks: [{ index: 1, codec: 'mp2', language: 'ger', title: null }],
  });
});

test('a track that programs describe differently makes the description invalid', () => {
  const said = `${head}  Program 1 \n  Stream #0:0: Video: h264, yuv420p, 99x99\n  Program 2 \n  Stream #0:0: Video: h264, yuv420p, 88x88\n`;
  expect(readDescription(said)).toBeNull();
});

test('a file that could not be opened has no description', () => {
  expect(readDescription('file:/dev/fd/4: Invalid data found when processing input\n')).toBeNull();
});

/** The first video track of a file with this line. */
const videoTrackOf = (facts: string, below = '') =>
  readDescription(`${head}  Stream #0:0[0x1](und): Video: ${facts}\n${below}`)?.videoTrack;

test.each([
  [
    'h264 (High 10), yuv420p10le(tv, bt709, progressive), 1920x1080',
    { bitDepth: 10, chroma: '4:2:0', profile: 'High 10' },
  ],
  ['h264 (High 4:2:2) (avc1 / 0x31), yuv422p(progressive), 160x90', { bitDepth: 8, chroma: '4:2:2' }],
  ['h264 (High), yuvj420p(pc, bt470bg/unknown/unknown), 160x90', { bitDepth: 8, chroma: '4:2:0', matrix: 'bt470bg' }],
  [
    'prores (HQ) (apch / 0x68637061), yuv422p10le(bottom coded first (swapped)), 160x96',
    { bitDepth: 10, isInterlaced: true },
  ],
  ['mpeg2video (Main), yuv420p(tv, top first), 720x576 [SAR 64:45 DAR 16:9]', { isInterlaced: true, width: 1024 }],
  [
    'hevc (Main 10), p010le(tv, bt2020nc/bt2020/arib-std-b67, progressive), 160x90',
    { bitDepth: 10, hdrTransfer: 'arib-std-b67', matrix: 'bt2020nc', isInterlaced: false },
  ],
  ['png, rgb24(pc, gbr/unknown/unknown), 600x600', { chroma: '4:4:4', matrix: 'gbr' }],
  [
    'wmv2 (WMV2 / 0x32564D57), yuv420p, 160x96, 200 kb/s, SAR 1:2 DAR 5:6, 30 fps, 30 tbr, 1k tbn',
    { width: 80, height: 96, matrix: null, isInterlaced: null },
  ],
  ['ffv1, gray10le(tv), 64x64', { bitDepth: 10, chroma: '4:0:0' }],
])('%s', (facts, expected) => {
  expect(videoTrackOf(facts)).toMatchObject(expected);
});

test.each([
  ['25 fps, 25 tbr, 12800 tbn', 25, false],
  ['29.97 fps, 29.97 tbr, 30k tbn', 29.97, false],
  ['9.27 fps, 25 tbr, 12800 tbn', 9.27, true],
  ['25 fps, 50 tbr, 90k tbn', 25, false],
  ['1k fps, 1k tbr, 1k tbn', 1_000, false],
  ['12 tbr, 12 tbn', 12, true],
  ['90k tbn', null, true],
])('%s', (rates, framesPerSecond, hasVariableRate) => {
  const track = videoTrackOf(
    `h264 (High), yuv420p(progressive), 160x90 [SAR 1:1 DAR 16:9], 62 kb/s, ${rates} (default)`,
  );
  expect(track).toMatchObject({ framesPerSecond, hasVariableRate });
});

test('tracks of sound and subtitles are read with what chooses among them', () => {
  const said = `${head}  Stream #0:0: Video: h264 (High), yuv420p, 160x96
  Stream #0:1(deu): Audio: aac (LC), 44100 Hz, mono, fltp
      Metadata:
        title           : Comment
  Stream #0:2[0x81](eng): Audio: ac3, 48000 Hz, 5.1(side), fltp, 448 kb/s (default)
  Stream #0:3(zh-Hant): Subtitle: subrip (srt) (default) (forced)
      Metadata:
        title           : \u202e<b>Schilder</b>
  Stream #0:4: Subtitle: hdmv_pgs_subtitle, 1920x1080
  Stream #0:5: Subtitle: dvb_teletext
  Stream #0:6: Attachment: ttf\n`;
  const { audioTracks, subtitles } = readDescription(said) ?? {};
  expect(audioTracks).toMatchObject([
    { index: 1, codec: 'aac', profile: 'LC', channels: 1, language: 'deu', isDefault: false },
    { index: 2, codec: 'ac3', profile: null, channels: 6, language: 'eng', isDefault: true },
  ]);
  expect(subtitles).toMatchObject([
    { index: 3, form: 'text', language: 'zh-Hant', title: '<b>Schilder</b>', isDefault: true, isForced: true },
    { index: 4, form: 'pictures', language: null, title: null, isDefault: false, isForced: false },
    { index: 5, form: null },
  ]);
});

test('a title is bounded, a language is none that is no word', () => {
  const said = `${head}  Stream #0:0(x y): Subtitle: ass\n      Metadata:\n        title           : ${'t'.repeat(5_000)}\n`;
  const [subtitles] = readDescription(said)?.subtitles ?? [];
  expect(subtitles?.language).toBeNull();
  expect(subtitles?.title).toHaveLength(100);
});

test('a length that was guessed by the size of the file is marked', () => {
  const said = `[mpeg @ 0x55c1] Estimating duration from bitrate, this may be inaccurate\n${head}  Duration: 00:10:00.00, start: 0.0\n`;
  expect(readDescription(said)).toMatchObject({ durationMs: 600_000, isDurationGuessed: true });
});

test('where the name of a tag tells a track a second time, nothing is believed', () => {
  const line = '  Stream #0:0: Video: h264 (High), yuv420p, 160x96\n';
  expect(readDescription(`${head}${line}      Metadata:\n        name\n${line}: value\n`)).toBeNull();
});
