import { pictures, sounds } from './codecs.ts';
import type { CorpusEntry } from './corpus-entry.ts';
import { entry } from './corpus-entry.ts';

const { avc, hevc, vp9, av1, mpeg4, mjpeg } = pictures;
const { aac, mp3, opus, vorbis } = sounds;

const mp4: CorpusEntry[] = [
  entry('avc-aac.mp4', { picture: avc, sound: aac, output: '-movflags +faststart' }),
  entry('avc-mp3.mp4', { picture: avc, sound: mp3 }),
  entry('avc-opus.mp4', { picture: avc, sound: opus }, { needs: ['opus'] }),
  entry('avc-flac.mp4', { picture: avc, sound: sounds.flac }, { needs: ['flac'] }),
  entry('avc-ac3.mp4', { picture: avc, sound: sounds.ac3 }, { needs: ['ac3'] }),
  entry('avc-eac3.mp4', { picture: avc, sound: sounds.eac3 }, { needs: ['eac3'] }),
  entry('avc-10-bit.mp4', { picture: pictures.avcDeep, sound: aac }, { needs: ['avc-10-bit'] }),
  entry('avc-422.mp4', { picture: pictures.avc422, sound: aac }, { needs: ['avc-4:2:2'] }),
  entry('avc-422-10-bit.mp4', { picture: pictures.avc422Deep, sound: aac }, { needs: ['avc-10-bit', 'avc-4:2:2'] }),
  entry('avc-444.mp4', { picture: pictures.avc444, sound: aac }, { needs: ['avc-4:4:4'] }),
  entry('hevc-aac.mp4', { picture: hevc, sound: aac }, { needs: ['hevc'] }),
  entry('hevc-10-bit.mp4', { picture: pictures.hevcDeep, sound: aac }, { needs: ['hevc', 'hevc-10-bit'] }),
  entry('vp9-opus.mp4', { picture: vp9, sound: opus }, { needs: ['vp9', 'opus'] }),
  entry('av1-aac.mp4', { picture: av1, sound: aac }, { needs: ['av1'] }),
  entry('mpeg4-aac.mp4', { picture: mpeg4, sound: aac }, { reason: 'codec_unknown' }),
  entry('mpeg2-mp3.mp4', { picture: pictures.mpeg2, sound: mp3 }, { reason: 'codec_unknown' }),
];

const mov: CorpusEntry[] = [
  entry('avc-aac.mov', { picture: avc, sound: aac }, { needs: ['quicktime'] }),
  entry('avc-pcm.mov', { picture: avc, sound: sounds.pcm }, { needs: ['quicktime', 'pcm'] }),
  entry('hevc-aac.mov', { picture: hevc, sound: aac }, { needs: ['quicktime', 'hevc'] }),
  entry('prores-pcm.mov', { picture: pictures.prores, sound: sounds.pcm, rate: '5' }, { reason: 'codec_prores' }),
  entry('mjpeg-pcm.mov', { picture: mjpeg, sound: sounds.pcm, rate: '5' }, { reason: 'codec_unknown' }),
];

const m4v: CorpusEntry[] = [
  entry('avc-aac.m4v', { picture: avc, sound: aac, output: '-f ipod' }),
  entry('avc-alac.m4v', { picture: avc, sound: sounds.alac, output: '-f ipod' }, { needs: ['alac'] }),
  entry('mpeg4-aac.m4v', { picture: mpeg4, sound: aac, output: '-f ipod' }, { reason: 'codec_unknown' }),
];

const mkv: CorpusEntry[] = [
  entry('avc-aac.mkv', { picture: avc, sound: aac }, { needs: ['matroska'] }),
  entry('avc-ac3.mkv', { picture: avc, sound: sounds.ac3 }, { needs: ['matroska', 'ac3'] }),
  entry('avc-dts.mkv', { picture: avc, sound: sounds.dts }, { needs: ['matroska', 'dts'] }),
  entry('avc-mp2.mkv', { picture: avc, sound: sounds.mp2 }, { needs: ['matroska', 'other-sound'] }),
  entry('avc-flac.mkv', { picture: avc, sound: sounds.flac }, { needs: ['matroska', 'flac'] }),
  entry('avc-10-bit.mkv', { picture: pictures.avcDeep, sound: aac }, { needs: ['matroska', 'avc-10-bit'] }),
  entry('hevc-eac3.mkv', { picture: hevc, sound: sounds.eac3 }, { needs: ['matroska', 'hevc', 'eac3'] }),
  entry('vp9-vorbis.mkv', { picture: vp9, sound: vorbis }, { needs: ['matroska', 'vp9', 'vorbis'] }),
  entry('av1-opus.mkv', { picture: av1, sound: opus }, { needs: ['matroska', 'av1', 'opus'] }),
  entry('mpeg2-mp2.mkv', { picture: pictures.mpeg2, sound: sounds.mp2 }, { reason: 'codec_unknown' }),
  entry('mpeg4-mp3.mkv', { picture: mpeg4, sound: mp3 }, { reason: 'codec_unknown' }),
  entry('theora-vorbis.mkv', { picture: pictures.theora, sound: vorbis }, { reason: 'codec_unknown' }),
  entry('ffv1-flac.mkv', { picture: pictures.ffv1, sound: sounds.flac }, { reason: 'codec_unknown' }),
];

const webm: CorpusEntry[] = [
  entry('vp8-vorbis.webm', { picture: pictures.vp8, sound: vorbis }, { needs: ['webm', 'vp8', 'vorbis'] }),
  entry('vp9-opus.webm', { picture: vp9, sound: opus }, { needs: ['webm', 'vp9', 'opus'] }),
  entry(
    'vp9-10-bit.webm',
    { picture: pictures.vp9Deep, sound: opus },
    { needs: ['webm', 'vp9', 'vp9-10-bit', 'opus'] },
  ),
  entry('av1-opus.webm', { picture: av1, sound: opus }, { needs: ['webm', 'av1', 'opus'] }),
  entry(
    'av1-10-bit.webm',
    { picture: pictures.av1Deep, sound: opus },
    { needs: ['webm', 'av1', 'av1-10-bit', 'opus'] },
  ),
];

const others: CorpusEntry[] = [
  entry('xvid-mp3.avi', { picture: pictures.xvid, sound: mp3 }, { reason: 'container_avi' }),
  entry('avc-mp3.avi', { picture: avc, sound: mp3 }, { reason: 'container_avi' }),
  entry('msmpeg4-mp2.avi', { picture: pictures.msmpeg4, sound: sounds.mp2 }, { reason: 'container_avi' }),
  entry('mjpeg-pcm.avi', { picture: mjpeg, sound: sounds.pcm, rate: '5' }, { reason: 'container_avi' }),
  entry('wmv2-wma2.wmv', { picture: pictures.wmv2, sound: sounds.wma2 }, { reason: 'container_asf' }),
  entry('wmv1-wma1.wmv', { picture: pictures.wmv1, sound: sounds.wma1 }, { reason: 'container_asf' }),
  entry(
    'flv1-mp3.flv',
    { picture: pictures.flv1, sound: '-c:a libmp3lame -b:a 24k -ar 22050' },
    { reason: 'container_flv' },
  ),
  entry('avc-aac.flv', { picture: avc, sound: aac }, { reason: 'container_flv' }),
];

/** The eight containers that may be uploaded, with the codecs that are found in them. */
export const containerEntries: readonly CorpusEntry[] = [...mp4, ...mov, ...m4v, ...mkv, ...webm, ...others];
