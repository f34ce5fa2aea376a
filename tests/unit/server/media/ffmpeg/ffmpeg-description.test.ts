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
    audioTracks: [{ index: 1, codec: 'mp3', profile: null, channels: 2, language: null, isDefault: false }],
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

test('a file that could not be opened has no description', () => {
  expect(readDescription('file:/dev/fd/4: Invalid data found when processing input\n')).toBeNull();
});
