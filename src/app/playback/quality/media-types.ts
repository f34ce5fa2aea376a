import type { MediaNeed } from '#contract/rules/media/needs.ts';

/** What a browser is asked about by name; the others are sizes, and a container to which no Chromium admits. */
export type NamedNeed = Exclude<MediaNeed, 'quicktime' | 'over-1080-lines' | 'over-2160-lines'>;

/** A type for each need. Levels are those of 1080 lines at 30 frames a second. RFC 6381 */
export const mediaTypes: Readonly<Record<NamedNeed, string>> = {
  matroska: 'video/x-matroska',
  webm: 'video/webm',
  'avc-10-bit': 'video/mp4; codecs="avc1.6e0028"',
  'avc-4:2:2': 'video/mp4; codecs="avc1.7a0028"',
  'avc-4:4:4': 'video/mp4; codecs="avc1.f40028"',
  hevc: 'video/mp4; codecs="hvc1.1.6.L120.B0"',
  'hevc-10-bit': 'video/mp4; codecs="hvc1.2.4.L120.B0"',
  vp8: 'video/webm; codecs="vp8"',
  vp9: 'video/webm; codecs="vp09.00.40.08"',
  'vp9-10-bit': 'video/webm; codecs="vp09.02.40.10"',
  av1: 'video/mp4; codecs="av01.0.08M.08"',
  'av1-10-bit': 'video/mp4; codecs="av01.0.08M.10"',
  opus: 'audio/webm; codecs="opus"',
  vorbis: 'audio/webm; codecs="vorbis"',
  flac: 'audio/mp4; codecs="flac"',
  alac: 'audio/mp4; codecs="alac"',
  ac3: 'audio/mp4; codecs="ac-3"',
  eac3: 'audio/mp4; codecs="ec-3"',
  dts: 'audio/mp4; codecs="dtsc"',
  pcm: 'audio/wav; codecs="1"',
};
