import { renditionLimits } from '../ladder.ts';
import type { VideoEncoder } from './video-encoder.ts';

const software = { isHardware: false, devices: [], deviceArguments: [], uploadFilters: [] } as const;

/**
 * As good as a still picture needs (`crf`), within what the network is promised (`maxrate`). `medium` takes nearly twice
 * the time of `veryfast` (0045).
 */
const x264: VideoEncoder = {
  ...software,
  name: 'libx264',
  arguments({ rendition }, threads) {
    const { kbps, profile, level } = renditionLimits[rendition];
    return [
      ...['-preset', 'veryfast', '-profile:v', profile, '-level:v', level, '-crf', '23'],
      ...['-maxrate', `${kbps}k`, '-bufsize', `${2 * kbps}k`, '-sc_threshold', '0', '-threads', String(threads)],
    ];
  },
};

/** Its profile and level follow from what it is given. */
const openh264: VideoEncoder = {
  ...software,
  name: 'libopenh264',
  arguments({ rendition }) {
    const { kbps } = renditionLimits[rendition];
    return ['-rc_mode', 'bitrate', '-allow_skip_frames', '0', '-b:v', `${kbps}k`, '-maxrate', `${kbps}k`];
  },
};

/** The better one first. */
export const softwareEncoders: readonly VideoEncoder[] = [x264, openh264];
