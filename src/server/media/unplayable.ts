import type { MediaNeed, NeedBits } from '#contract/rules/media-needs.ts';
import { listNeeds } from '#contract/rules/media-needs.ts';

/** Why a file in the library cannot be played, in sentences for viewers. The keys are stored. */
export const unplayable = {
  empty: 'This file is empty.',
  not_a_video: 'This file is not a video, whatever its name says.',
  truncated: 'This file is incomplete: its end is missing.',
  no_index: 'This file cannot be played: its index is missing. It may still be copying, or its recording broke off.',
  damaged: 'This file is damaged and cannot be read.',
  too_complex: 'Reading this file took too long.',
  unreadable: 'This file could not be read from the disk.',
  refused: 'The store refuses to give this file.',
  no_picture: 'This file contains no picture.',
  picture_size: 'The size of this picture is beyond what players can show.',
  too_few_pictures: 'This file shows a new picture only every few minutes or hours.',
  begins_late: 'This file begins with a gap, which browsers play in different ways.',
  container_avi: 'Browsers cannot play AVI files.',
  container_asf: 'Browsers cannot play WMV files.',
  container_flv: 'Browsers cannot play FLV files.',
  container_mpeg: 'Browsers cannot play MPEG program and transport streams.',
  codec_hevc: 'Many browsers show no picture for HEVC (H.265) video.',
  codec_prores: 'Browsers cannot play ProRes video.',
  codec_unknown: 'Browsers cannot play the video format inside this file.',
} as const;

export type UnplayableReason = keyof typeof unplayable;

/**
 * Reasons that concern only browsers: ffmpeg can still make posters and encodings of these files.
 * Files with any other reason are not given to ffmpeg.
 */
export const convertible: readonly UnplayableReason[] = [
  'begins_late',
  'container_avi',
  'container_asf',
  'container_flv',
  'container_mpeg',
  'codec_hevc',
  'codec_prores',
  'codec_unknown',
];

/** Whether nothing was read of the file: the next scan tries it again. */
export function isUnread(reason: string | null): boolean {
  return reason === 'unreadable' || reason === 'refused';
}

/**
 * The sentence for a stored reason, or a general one for a reason that this version does not know.
 */
export function describeUnplayable(reason: string | null): string {
  return reason !== null && Object.hasOwn(unplayable, reason)
    ? unplayable[reason as UnplayableReason]
    : 'This video is not available at the moment.';
}

const noPictureFor = (codec: string) => `This browser shows no picture for ${codec} video.`;

/**
 * Why one device cannot play a video that others can, in sentences for viewers. The most specific
 * one comes first.
 */
const sentences: readonly (readonly [MediaNeed, string])[] = [
  ['hevc', noPictureFor('HEVC (H.265)')],
  ['hevc-10-bit', noPictureFor('10-bit HEVC (H.265)')],
  ['av1', noPictureFor('AV1')],
  ['av1-10-bit', noPictureFor('10-bit AV1')],
  ['vp8', noPictureFor('VP8')],
  ['vp9', noPictureFor('VP9')],
  ['vp9-10-bit', noPictureFor('10-bit VP9')],
  ['avc-10-bit', noPictureFor('10-bit H.264')],
  ['avc-4:2:2', noPictureFor('4:2:2 H.264')],
  ['avc-4:4:4', noPictureFor('4:4:4 H.264')],
  ['matroska', 'This browser cannot play MKV files.'],
  ['webm', 'This browser cannot play WebM files.'],
  ['quicktime', 'This browser cannot play QuickTime files.'],
  ['over-2160-lines', 'This device cannot show as many lines as this video has.'],
  ['over-1080-lines', 'This device cannot show as many lines as this video has.'],
];

/**
 * @param lacking needs of a video that a device lacks @returns null if the device can show the
 * picture
 */
export function describeLacking(lacking: NeedBits): string | null {
  const needs = new Set(listNeeds(lacking));
  return sentences.find(([need]) => needs.has(need))?.[1] ?? null;
}
