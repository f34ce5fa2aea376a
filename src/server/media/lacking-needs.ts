import type { MediaNeed, NeedBits } from '#contract/rules/media/needs.ts';
import { listNeeds } from '#contract/rules/media/needs.ts';

const noPictureFor = (codec: string) => `This browser shows no picture for ${codec} video.`;

/** Why one device does not play what others do, in words for a person; what says most comes first. */
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

/** @param lacking what a video needs and a device lacks; null when its picture is shown there */
export function describeLacking(lacking: NeedBits): string | null {
  const needs = new Set(listNeeds(lacking));
  return sentences.find(([need]) => needs.has(need))?.[1] ?? null;
}
