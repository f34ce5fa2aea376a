const inMp4 = (codecs: string) => `video/mp4; codecs="${codecs}"`;
const inWebm = (codecs: string) => `video/webm; codecs="${codecs}"`;

/**
 * The MIME type to query for each need, at the index of that need in `mediaNeeds`. It is empty for
 * sizes, for a container that no Chromium claims to support, and for sound that none plays. Levels
 * are those of 1080 lines at 30 frames per second. RFC 6381
 */
export const mediaTypes: readonly string[] = [
  '',
  'video/x-matroska',
  'video/webm',
  inMp4('avc1.6e0028'),
  inMp4('avc1.7a0028'),
  inMp4('avc1.f40028'),
  inMp4('hvc1.1.6.L120.B0'),
  inMp4('hvc1.2.4.L120.B0'),
  inWebm('vp8'),
  inWebm('vp09.00.40.08'),
  inWebm('vp09.02.40.10'),
  inMp4('av01.0.08M.08'),
  inMp4('av01.0.08M.10'),
  '',
  '',
  inWebm('opus'),
  inWebm('vorbis'),
  inMp4('flac'),
  inMp4('alac'),
  inMp4('ac-3'),
  inMp4('ec-3'),
  inMp4('dtsc'),
  'audio/wav; codecs="1"',
  '',
];
