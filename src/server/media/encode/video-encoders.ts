import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedRendition, PicturePlan } from './ladder.ts';
import { renditionLimits } from './ladder.ts';

/** One of ffmpeg's video encoders, with its devices and arguments. */
export interface VideoEncoder {
  /** ffmpeg's name of the encoder. */
  name: string;
  isHardware: boolean;
  /** Paths of device files. */
  devices: readonly string[];
  /** Arguments before the input. */
  deviceArguments: readonly string[];
  /** Filters at the end of a picture's filter chain. */
  uploadFilters: readonly string[];
  arguments(picture: PicturePlan, threads: number): string[];
}

/**
 * Bit rates for hardware encoders, which share no quality setting: the average is a fifth below the
 * maximum.
 */
function rates(rendition: EncodedRendition): string[] {
  const { kbps } = renditionLimits[rendition];
  return ['-b:v', `${Math.round(kbps * 0.8)}k`, '-maxrate', `${kbps}k`, '-bufsize', `${2 * kbps}k`];
}

const profile = (rendition: EncodedRendition) => ['-profile:v', renditionLimits[rendition].profile];

/**
 * Profile, level and bit rates of VAAPI and QSV, which take a level without its point: 31 for 3.1.
 */
function pictureOptions(rendition: EncodedRendition): string[] {
  const level = renditionLimits[rendition].level.replace('.', '');
  return [...profile(rendition), '-level', level, ...rates(rendition)];
}

/** VAAPI: Intel and AMD on Linux. */
function vaapi(device: string): VideoEncoder {
  return {
    name: 'h264_vaapi',
    isHardware: true,
    devices: [device],
    deviceArguments: ['-vaapi_device', device],
    uploadFilters: ['format=nv12', 'hwupload'],
    arguments: ({ rendition }) => ['-rc_mode', 'VBR', ...pictureOptions(rendition)],
  };
}

/** Quick Sync: Intel. */
function qsv(device: string): VideoEncoder {
  return {
    name: 'h264_qsv',
    isHardware: true,
    devices: [device],
    deviceArguments: ['-init_hw_device', `qsv=encoding,child_device=${device}`, '-filter_hw_device', 'encoding'],
    uploadFilters: ['format=nv12', 'hwupload=extra_hw_frames=64'],
    arguments: ({ rendition }) => ['-forced_idr', '1', ...pictureOptions(rendition)],
  };
}

function nvenc(devices: readonly string[]): VideoEncoder {
  return {
    name: 'h264_nvenc',
    isHardware: true,
    devices,
    deviceArguments: [],
    uploadFilters: [],
    arguments: ({ rendition }) => [
      ...['-preset', 'p4', '-rc', 'vbr', '-forced-idr', '1', '-no-scenecut', '1', ...profile(rendition)],
      ...['-level', renditionLimits[rendition].level, ...rates(rendition)],
    ],
  };
}

/** V4L2: single-board computers. The driver chooses profile and level. */
function v4l2(devices: readonly string[]): VideoEncoder {
  return {
    name: 'h264_v4l2m2m',
    isHardware: true,
    devices,
    deviceArguments: [],
    uploadFilters: ['format=nv12'],
    arguments: ({ rendition }) => ['-b:v', `${renditionLimits[rendition].kbps}k`],
  };
}

/**
 * The encoders for which this machine has devices, the one with the best quality per byte first.
 */
export async function hardwareEncoders(devices: string): Promise<VideoEncoder[]> {
  const render = await list(join(devices, 'dri'), /^renderD\d+$/);
  const nvidia = await list(devices, /^nvidia(\d+|ctl|-uvm|-uvm-tools|-modeset)$/);
  const video = await list(devices, /^video\d+$/);
  return [
    ...render.map(vaapi),
    ...render.map(qsv),
    ...(nvidia.length > 0 ? [nvenc(nvidia)] : []),
    ...(video.length > 0 ? [v4l2(video)] : []),
  ];
}

async function list(folder: string, name: RegExp): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((found) => name.test(found))
    .sort()
    .map((found) => join(folder, found));
}

const software = { isHardware: false, devices: [], deviceArguments: [], uploadFilters: [] } as const;

/**
 * Constant quality (`crf`) up to a maximum bit rate (`maxrate`). The preset `medium` takes nearly
 * twice the time of `veryfast` (decision 0045).
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

/** OpenH264 derives profile and level from its input. */
const openh264: VideoEncoder = {
  ...software,
  name: 'libopenh264',
  arguments({ rendition }) {
    const { kbps } = renditionLimits[rendition];
    return ['-rc_mode', 'bitrate', '-allow_skip_frames', '0', '-b:v', `${kbps}k`, '-maxrate', `${kbps}k`];
  },
};

/** The better encoder first. */
export const softwareEncoders: readonly VideoEncoder[] = [x264, openh264];
