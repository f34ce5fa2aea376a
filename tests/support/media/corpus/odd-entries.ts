import { pictures, sounds } from './codecs.ts';
import type { CorpusEntry } from './corpus-entry.ts';
import { entry } from './corpus-entry.ts';

const { avc, vp9, mpeg4 } = pictures;
const { aac, opus } = sounds;

const shapes: CorpusEntry[] = [
  entry('vertical.mp4', { picture: avc, sound: aac, size: '90x160' }, { width: 90, height: 160 }),
  entry('rotated-90.mp4', { picture: avc, sound: aac, size: '90x160', rotation: 90 }, { width: 90, height: 160 }),
  entry('rotated-180.mov', { picture: avc, sound: aac, rotation: 180 }, { needs: ['quicktime'] }),
  entry('rotated-270.mp4', { picture: avc, sound: aac, size: '90x160', rotation: 270 }, { width: 90, height: 160 }),
  entry('anamorphic.mp4', { picture: avc, sound: aac, size: '120x90', output: '-aspect 16:9' }),
  entry(
    'anamorphic.mkv',
    { picture: mpeg4, sound: aac, size: '120x90', output: '-aspect 16:9' },
    { reason: 'codec_unknown' },
  ),
  entry(
    'odd-size.webm',
    { picture: vp9, sound: opus, size: '161x91' },
    { width: 161, height: 91, needs: ['webm', 'vp9', 'opus'] },
  ),
  entry(
    'odd-size.avi',
    { picture: mpeg4, sound: sounds.mp3, size: '161x91' },
    { width: 161, height: 91, reason: 'container_avi' },
  ),
  entry(
    'over-1080-lines.mp4',
    { picture: avc, sound: aac, size: '2560x1440', rate: '4' },
    { width: 2_560, height: 1_440, needs: ['over-1080-lines'] },
  ),
];

/** BT.2020 with one of the two transfer functions of HDR. */
const wide = (transfer: string) => ({
  filters: `zscale=tin=bt709:min=gbr:pin=bt709:rin=full:t=${transfer}:p=2020:m=2020_ncl:r=limited:npl=200,format=yuv420p10le`,
  tags: `-color_primaries bt2020 -color_trc ${transfer} -colorspace bt2020nc -color_range tv`,
});
const pq = wide('smpte2084');
const hlg = wide('arib-std-b67');
const hevcDeep = '-c:v libx265 -tag:v hvc1 -x265-params log-level=none:hdr10=1:repeat-headers=1';
const vp9Deep = '-c:v libvpx-vp9 -crf 34 -b:v 0';

const colours: CorpusEntry[] = [
  entry(
    'hdr10.mp4',
    { picture: `${hevcDeep} ${pq.tags}`, sound: aac, filters: pq.filters },
    { isHdr: true, needs: ['hevc', 'hevc-10-bit'] },
  ),
  entry(
    'hlg.mov',
    { picture: `${hevcDeep} ${hlg.tags}`, sound: aac, filters: hlg.filters },
    { isHdr: true, needs: ['quicktime', 'hevc', 'hevc-10-bit'] },
  ),
  entry(
    'hdr10.webm',
    { picture: `${vp9Deep} ${pq.tags}`, sound: opus, filters: pq.filters },
    { isHdr: true, needs: ['webm', 'vp9', 'vp9-10-bit', 'opus'] },
  ),
];

const times: CorpusEntry[] = [
  entry(
    'interlaced.mp4',
    { picture: pictures.avcInterlaced, sound: aac, size: '160x96', rate: '25', filters: 'setfield=tff' },
    { height: 96 },
  ),
  entry(
    'interlaced.mkv',
    { picture: pictures.mpeg2Interlaced, sound: sounds.mp2, rate: '25', filters: 'setfield=tff' },
    { reason: 'codec_unknown' },
  ),
  entry('variable-frame-rate.mp4', {
    picture: avc,
    sound: aac,
    rate: '30',
    filters: "select='lt(n,10)+not(mod(n,7))'",
    output: '-fps_mode vfr',
  }),
  entry('60-fps.mp4', { picture: avc, sound: aac, rate: '60' }),
  entry('slow-slides.mp4', { picture: avc, rate: '1/60', seconds: 1_200 }, { durationMs: 1_200_000 }),
  entry('late-sound.mkv', { picture: avc, sound: `-af adelay=300 ${aac}` }, { durationMs: 1_300, needs: ['matroska'] }),
];

const layouts: CorpusEntry[] = [
  entry('index-at-end.mp4', { picture: avc, sound: aac }),
  entry('fragmented.mp4', {
    picture: avc,
    sound: aac,
    output: '-bf 0 -movflags frag_keyframe+empty_moov+default_base_moof',
  }),
  entry('transport-stream.mp4', { picture: avc, sound: aac, output: '-f mpegts' }, { reason: 'container_mpeg' }),
  entry(
    'program-stream.m4v',
    { picture: pictures.mpeg2, sound: sounds.mp2, rate: '25', output: '-f vob' },
    { reason: 'container_mpeg' },
  ),
];

const channels: CorpusEntry[] = [
  entry('silent.mp4', { picture: avc }),
  entry('silent.avi', { picture: mpeg4 }, { reason: 'container_avi' }),
  entry('mono.mkv', { picture: mpeg4, sound: `${sounds.ac3} -ac 1` }, { reason: 'codec_unknown' }),
  entry('surround.mp4', { picture: avc, sound: sounds.aacSurround }),
  entry('surround-ac3.mkv', { picture: avc, sound: sounds.ac3Surround }, { needs: ['matroska', 'ac3'] }),
  entry('surround-opus.webm', { picture: vp9, sound: sounds.opusSurround }, { needs: ['webm', 'vp9', 'opus'] }),
  entry(
    'languages.mkv',
    {
      picture: avc,
      sound: aac,
      output: '-map 0:v -map 1:a -map 1:a -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu',
    },
    { needs: ['matroska'] },
  ),
];

const extras: CorpusEntry[] = [
  entry('subtitles-text.mp4', {
    picture: avc,
    sound: aac,
    inputs: ['english.srt', 'german.srt'],
    output:
      '-map 0:v -map 1:a -map 2:s -map 3:s -c:s mov_text -metadata:s:s:0 language=eng -metadata:s:s:1 language=deu',
  }),
  entry(
    'subtitles-srt.mkv',
    {
      picture: avc,
      sound: aac,
      inputs: ['english.srt'],
      output: '-map 0:v -map 1:a -map 2:s -c:s subrip -metadata:s:s:0 language=eng',
    },
    { needs: ['matroska'] },
  ),
  entry(
    'subtitles-ass.mkv',
    {
      picture: avc,
      sound: aac,
      inputs: ['english.srt'],
      output: '-map 0:v -map 1:a -map 2:s -c:s ass -metadata:s:s:0 language=eng',
    },
    { needs: ['matroska'] },
  ),
  entry(
    'subtitles-dvd.mkv',
    {
      picture: avc,
      sound: aac,
      inputs: ['pictures.sup'],
      output: '-map 0:v -map 1:a -map 2:s -c:s dvdsub -metadata:s:s:0 language=eng',
    },
    { needs: ['matroska'] },
  ),
  entry(
    'subtitles-pgs.mkv',
    {
      picture: avc,
      sound: aac,
      inputs: ['pictures.sup'],
      output: '-map 0:v -map 1:a -map 2:s -c:s copy -metadata:s:s:0 language=eng',
    },
    { needs: ['matroska'] },
  ),
  entry('cover.mp4', {
    picture: avc,
    sound: aac,
    inputs: ['cover.png'],
    output: '-map 0:v -map 1:a -map 2:v -c:v:1 copy -disposition:v:1 attached_pic',
  }),
  entry(
    'chapters.mov',
    {
      picture: avc,
      sound: aac,
      inputs: ['chapters.txt'],
      output: '-map 0:v -map 1:a -map_metadata 2 -map_chapters 2 -movflags use_metadata_tags',
    },
    { needs: ['quicktime'] },
  ),
  entry(
    'attachment.mkv',
    {
      picture: avc,
      sound: aac,
      output:
        '-attach english.srt -metadata:s:t mimetype=application/x-truetype-font -metadata:s:t filename=../../../attached.ttf',
    },
    { needs: ['matroska'] },
  ),
];

/** What cameras, phones, discs and recorders make of it. */
export const oddEntries: readonly CorpusEntry[] = [...shapes, ...colours, ...times, ...layouts, ...channels, ...extras];
