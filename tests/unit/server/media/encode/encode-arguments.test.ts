import { describe, expect, test } from 'vitest';
import { encodeArguments, storyboardArguments } from '#server/media/encode/encode-arguments.ts';
import type { EncodePlan, StoryboardPlan } from '#server/media/encode/ladder.ts';
import { planEncoding } from '#server/media/encode/ladder.ts';
import type { VideoEncoder } from '#server/media/encode/video-encoders.ts';
import { softwareEncoders } from '#server/media/encode/video-encoders.ts';
import { describedFile, describedVideo } from '#tests/support/media/described-tracks.ts';

const [x264] = softwareEncoders as [VideoEncoder];
const tools = { encoder: x264, mapsTones: true, threads: 2 };

function plan(
  video: Parameters<typeof describedVideo>[0] = {},
  container: EncodePlan['container'] = 'avi',
): EncodePlan {
  const videoTrack = describedVideo(video);
  const description = describedFile(videoTrack);
  const ordered = { renditions: ['grid', 'hd'], copy: 'beside', durationMs: null } as const;
  return planEncoding({ container, description, videoTrack }, ordered);
}

const graphs = (given: EncodePlan, mapsTones = true) => {
  const args = encodeArguments(given, { ...tools, mapsTones });
  return args.filter((_word, at) => args[at - 1] === '-filter_complex');
};
const filters = (given: EncodePlan, mapsTones = true) => graphs(given, mapsTones).join('\n');

test('one decode makes both pictures, the smaller one of the other, and for itself the sheet of stills', () => {
  const [pictures = '', ...storyboard] = graphs(plan());
  expect(pictures.split(';')).toEqual([
    '[0:0]fps=25/1:start_time=0,scale=w=1920:h=1080:flags=bicubic:in_color_matrix=auto:out_color_matrix=bt709:out_range=tv,setsar=1,format=yuv420p,setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709,split[own0][rest0]',
    '[own0]null[hd]',
    '[rest0]fps=25/1:start_time=0,scale=w=960:h=540:flags=bicubic,setsar=1[own1]',
    '[own1]null[grid]',
  ]);
  expect(storyboard).toEqual([
    '[0:0]fps=1000/2000:start_time=0:eof_action=pass,tpad=stop=30:stop_mode=clone,scale=w=160:h=90:flags=bicubic:in_color_matrix=auto:out_color_matrix=bt709:out_range=tv,setsar=1,format=yuv420p,setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709,tile=10x3:nb_frames=30,format=rgb24[storyboard]',
  ]);
});

test('interlaced frames are put together, also where only they say what they are', () => {
  expect(filters(plan({ isInterlaced: true }))).toContain('[0:0]bwdif=mode=send_frame:deint=all,');
  expect(filters(plan({ isInterlaced: null }))).toContain('[0:0]bwdif=mode=send_frame:deint=interlaced,');
  expect(filters(plan({ isInterlaced: null, codec: 'vp9' }))).not.toContain('bwdif');
  expect(filters(plan())).not.toContain('bwdif');
});

test('HDR is brought down by tone mapping where there is one, and plainly elsewhere', () => {
  const hdr = plan({ codec: 'hevc', isHdr: true, hdrTransfer: 'smpte2084', matrix: null, bitDepth: 10 });
  expect(filters(hdr)).toMatch(
    /setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,zscale=.*tonemap=/,
  );
  expect(filters(hdr, false)).not.toMatch(/zscale|tonemap/);
  expect(filters(hdr, false)).toContain('in_color_matrix=bt2020:out_color_matrix=bt709');
});

test.each([
  ['SD', { matrix: null, width: 640, height: 480 }, 'bt601'],
  ['HD', { matrix: null }, 'bt709'],
  ['a matrix that scalers do not know', { matrix: 'gbr' }, 'bt709'],
  ['one that says so', { matrix: 'smpte170m' }, 'auto'],
])('the colours of %s are read as players read them', (_, video, matrix) => {
  expect(filters(plan(video))).toContain(`in_color_matrix=${matrix}:`);
});

test('a key frame stands every two seconds, and no group of frames looks into another one', () => {
  const args = encodeArguments(plan({ framesPerSecond: 29.97 }), tools).join(' ');
  expect(args).toContain('-g 60 -force_key_frames expr:gte(t,n_forced*2) -flags:v +cgop');
  expect(args).toContain('-profile:v main -level:v 3.1 -crf 23 -maxrate 1200k -bufsize 2400k -sc_threshold 0');
  expect(args).toContain('-profile:v high -level:v 4.0 -crf 23 -maxrate 4500k -bufsize 9000k -sc_threshold 0');
});

describe.each([
  ['encodings', plan()],
  ['a stream copy', plan({}, 'matroska')],
])('of %s', (_, given) => {
  const args = encodeArguments(given, tools);
  const outputs = args.filter((word) => /^file:(grid|hd|source)\.mp4$/.test(word)).length;
  const count = (...words: string[]) =>
    args.filter((_word, at) => words.every((word, next) => args[at + next] === word)).length;

  test('no place, name, chapter, attachment or data of the source goes on, and the index stands in front', () => {
    expect(outputs).toBeGreaterThan(0);
    expect(count('-map_metadata', '-1')).toBe(outputs);
    expect(count('-map_chapters', '-1')).toBe(outputs);
    expect(count('-movflags', '+faststart')).toBe(outputs);
    // Only tracks that are named are taken.
    expect(args.filter((_word, at) => args[at - 1] === '-map')).not.toContain('0');
  });

  test('the input is read by one demuxer from one file', () => {
    expect(count('-protocol_whitelist', 'file')).toBe(1);
    expect(args.filter((word) => word === '-i')).toHaveLength(1);
    expect(args[args.indexOf('-i') + 1]).toBe('file:/dev/fd/4');
  });
});

test('a stream copy has the tag that all players know', () => {
  expect(encodeArguments(plan({}, 'matroska'), tools).join(' ')).toContain('-c:v copy -tag:v avc1 -map 0:1 -c:a copy');
});

test('stills beside a stream copy are made of key frames alone', () => {
  const given = plan({}, 'matroska');
  const args = storyboardArguments(given, given.storyboard as StoryboardPlan, tools);
  expect(args.indexOf('-skip_frame')).toBeLessThan(args.indexOf('-i'));
  expect(args.filter((word) => word.startsWith('file:'))).toEqual(['file:/dev/fd/4', 'file:storyboard.ppm']);
});

test('frames for hardware are brought there, those for stills are not', () => {
  const encoder = {
    ...x264,
    deviceArguments: ['-vaapi_device', '/dev/dri/x'],
    uploadFilters: ['format=nv12', 'hwupload'],
  };
  const args = encodeArguments(plan(), { ...tools, encoder });
  const graph = args[args.indexOf('-filter_complex') + 1];
  expect(graph).toContain('[own0]format=nv12,hwupload[hd]');
  expect(graph).toContain('[own1]format=nv12,hwupload[grid]');
  expect(args.indexOf('-vaapi_device')).toBeLessThan(args.indexOf('-i'));
});
