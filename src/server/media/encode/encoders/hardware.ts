import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EncodedRendition } from '../ladder.ts';
import { renditionLimits } from '../ladder.ts';
import type { VideoEncoder } from './video-encoder.ts';

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
