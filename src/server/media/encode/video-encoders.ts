import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedRendition, PicturePlan } from './ladder.ts';
import { renditionLimits } from './ladder.ts';

/** What encodes the picture: one of ffmpeg's encoders, and what it needs. */
export interface VideoEncoder {
  /** ffmpeg's name for it. */
  name: string;
  isHardware: boolean;
  /** Device files. */
  devices: readonly string[];
  /** What stands before the input. */
  deviceArguments: readonly string[];
  /** What stands behind the filters of a picture. */
  uploadFilters: readonly string[];
  arguments(picture: PicturePlan, threads: number): string[];
}

/** Hardware has no measure of quality that all of it shares: the average stays a fifth below what the network carries. */
function rates(rendition: EncodedRendition): string[] {
  const { kbps } = renditionLimits[rendition];
  return ['-b:v', `${Math.round(kbps * 0.8)}k`, '-maxrate', `${kbps}k`, '-bufsize', `${2 * kbps}k`];
}

const profile = (rendition: EncodedRendition) => ['-profile:v', renditionLimits[rendition].profile];

/** Profile, level and rates of VAAPI and QSV, which take a level without its point: 31 for 3.1. */
function pictureOptions(rendition: EncodedRendition): string[] {
  const level = renditionLimits[rendition].level.replace('.', '');
  return [...profile(rendition), '-level', level, ...rates(rendition)];
}

/** Linux, Intel and AMD. */
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

/** Intel. */
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

/** Small boards. Their drivers choose profile and level. */
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

/** Those for which this machine has devices, the one with the best pictures for its bytes first. */
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
