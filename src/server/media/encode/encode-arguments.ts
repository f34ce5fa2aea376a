import { limits } from '#contract/limits.ts';
import { inputArguments } from '../ffmpeg/ffmpeg-arguments.ts';
import type { VideoEncoder } from './encoders/video-encoder.ts';
import type { EncodePlan, PicturePlan } from './ladder.ts';
import { pictureGraph, pictureLabel, storyboardGraph, storyboardLabel } from './picture-filters.ts';
import type { StoryboardPlan } from './storyboard-plan.ts';

/** Names in the private folder. */
export const outputName = (rendition: PicturePlan['rendition'] | 'source') => `${rendition}.mp4`;
export const storyboardName = 'storyboard.ppm';

export interface EncodingTools {
  encoder: VideoEncoder;
  mapsTones: boolean;
  threads: number;
}

export function quietArguments(threads: number): string[] {
  return ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-filter_complex_threads', String(threads)];
}

/** Everything of a plan in one run. Progress goes to the standard output. */
export function encodeArguments(plan: EncodePlan, { encoder, mapsTones, threads }: EncodingTools): string[] {
  const decodes = plan.pictures.length > 0;
  const storyboard = decodes ? plan.storyboard : null;
  return [
    ...quietArguments(threads),
    ...['-progress', 'pipe:1'],
    ...(decodes ? encoder.deviceArguments : []),
    ...inputArguments(plan.container, { threads }),
    ...(decodes ? ['-filter_complex', pictureGraph(plan, mapsTones, encoder.uploadFilters)] : []),
    ...(storyboard === null ? [] : ['-filter_complex', storyboardGraph(plan, storyboard, mapsTones)]),
    ...plan.pictures.flatMap((picture) => pictureArguments(plan, picture, encoder, threads)),
    ...copyArguments(plan),
    ...(storyboard === null ? [] : storyboardOutput),
  ];
}

/** A sheet of stills from key frames alone, which costs little. */
export function storyboardArguments(
  plan: EncodePlan,
  storyboard: StoryboardPlan,
  { mapsTones, threads }: EncodingTools,
): string[] {
  return [
    ...quietArguments(threads),
    ...inputArguments(plan.container, { threads, options: ['-skip_frame', 'nokey'] }),
    ...['-filter_complex', storyboardGraph(plan, storyboard, mapsTones)],
    ...storyboardOutput,
  ];
}

const storyboardOutput = [
  ...['-map', storyboardLabel, '-frames:v', '1', '-c:v', 'ppm', '-threads', '1'],
  ...['-f', 'image2', '-update', '1', `file:${storyboardName}`],
];

/** Where it was filmed and by whom, chapters, attachments and data stay behind; the index stands in front. */
const anonymous = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-movflags', '+faststart'];

export function pictureArguments(
  { audioTrack }: Pick<EncodePlan, 'audioTrack'>,
  picture: PicturePlan,
  encoder: VideoEncoder,
  threads: number,
): string[] {
  return [
    ...['-map', pictureLabel(picture), '-c:v', encoder.name, ...encoder.arguments(picture, threads)],
    ...keyframeArguments(picture),
    ...(audioTrack === null ? [] : ['-map', `0:${audioTrack.index}`, ...stereo]),
    ...anonymous,
    ...['-f', 'mp4', `file:${outputName(picture.rendition)}`],
  ];
}

/** Groups of two seconds, none of which looks into another one. */
function keyframeArguments({ rate }: PicturePlan): string[] {
  const { keyframeSeconds } = limits;
  const frames = Math.ceil((keyframeSeconds * rate.frames) / rate.seconds);
  const every = `expr:gte(t,n_forced*${keyframeSeconds})`;
  return ['-g', String(frames), '-force_key_frames', every, '-flags:v', '+cgop'];
}

/** From its very start, and without the gaps that a broken file has. */
const stereo = [
  ...['-af', 'aresample=48000:async=1:first_pts=0', '-ac', '2'],
  ...['-c:a', 'aac', '-profile:a', 'aac_low', '-b:a', '128k'],
];

function copyArguments({ copy, videoTrack, audioTrack }: EncodePlan): string[] {
  if (copy === null) return [];
  const sound =
    audioTrack === null ? [] : ['-map', `0:${audioTrack.index}`, ...(copy.copiesAudio ? ['-c:a', 'copy'] : stereo)];
  return [
    ...['-map', `0:${videoTrack.index}`, '-c:v', 'copy', '-tag:v', 'avc1', ...sound],
    ...anonymous,
    ...['-f', 'mp4', `file:${outputName('source')}`],
  ];
}
