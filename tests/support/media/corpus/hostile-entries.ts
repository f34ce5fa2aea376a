import type { HostileEntry } from './corpus-entry.ts';

/** What their headers show already. */
const refusedByHeader: HostileEntry[] = [
  { file: 'empty.mp4', reason: 'empty' },
  { file: 'one-byte.mp4', reason: 'not_a_video' },
  { file: 'noise.mp4', reason: 'not_a_video' },
  { file: 'page.mp4', reason: 'not_a_video' },
  { file: 'hls-playlist.mp4', reason: 'not_a_video' },
  { file: 'concat-list.mp4', reason: 'not_a_video' },
  { file: 'session-description.mp4', reason: 'not_a_video' },
  { file: 'truncated.mp4', reason: 'truncated' },
  { file: 'no-index.mp4', reason: 'no_index' },
  { file: 'no-tracks.mp4', reason: 'no_index' },
  { file: 'sound-alone.mp4', reason: 'no_picture' },
  { file: 'cover-alone.mp4', reason: 'no_picture' },
  { file: 'no-pixels.mp4', reason: 'picture_size' },
  { file: '16k-header.mp4', reason: 'picture_size' },
  { file: 'thousand-tracks.mp4', reason: 'too_complex' },
  { file: 'negative-duration.mp4', reason: 'damaged' },
  { file: 'ten-years.mp4', reason: 'damaged' },
  { file: 'frame-in-1000-seconds.mp4', reason: 'too_few_pictures' },
  { file: 'box-loop.mp4', reason: 'truncated' },
  { file: 'nested-boxes.mp4', reason: 'no_index' },
];

/** What is found by decoding them alone; no browser plays them as they are. */
const refusedByDecoder: HostileEntry[] = [
  { file: 'header-alone.avi', reason: 'container_avi' },
  { file: 'noise.avi', reason: 'container_avi' },
  { file: 'noise.wmv', reason: 'container_asf' },
  { file: 'noise.flv', reason: 'container_flv' },
  { file: 'noise-stream.mp4', reason: 'container_mpeg' },
  { file: 'sound-alone.avi', reason: 'container_avi' },
  { file: 'decode-bomb.avi', reason: 'container_avi' },
  { file: '4g-samples.mp4', reason: 'codec_unknown' },
  { file: 'media-elsewhere.mp4', reason: 'codec_unknown' },
];

export const hostileEntries = { refusedByHeader, refusedByDecoder } as const;
