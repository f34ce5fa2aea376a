import { limits } from '#contract/limits.ts';
import type { Sides } from '../containers/tracks.ts';
import { inputArguments, toneMap } from '../ffmpeg/ffmpeg-arguments.ts';
import type { DescribedVideoTrack } from '../ffmpeg/ffmpeg-description.ts';
import type { SandboxLimits } from '../sandbox/sandbox.ts';
import type { EncodePlan, FrameRate, PicturePlan, StoryboardPlan } from './ladder.ts';
import type { VideoEncoder } from './video-encoders.ts';

/** File names in the private folder. */
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

/** Makes all files of a plan in one run. Progress goes to the standard output. */
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

/** Makes the storyboard from key frames alone, which is cheap. */
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

const storyboardLabel = '[storyboard]';

const storyboardOutput = [
  ...['-map', storyboardLabel, '-frames:v', '1', '-c:v', 'ppm', '-threads', '1'],
  ...['-f', 'image2', '-update', '1', `file:${storyboardName}`],
];

/**
 * Drops metadata such as place and author, chapters, attachments and data. Puts the index at the
 * start of the file.
 */
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

/** Starts a closed group of pictures every two seconds. */
function keyframeArguments({ rate }: PicturePlan): string[] {
  const { keyframeSeconds } = limits;
  const frames = Math.ceil((keyframeSeconds * rate.frames) / rate.seconds);
  const every = `expr:gte(t,n_forced*${keyframeSeconds})`;
  return ['-g', String(frames), '-force_key_frames', every, '-flags:v', '+cgop'];
}

/** AAC in stereo. The sound starts at zero, and gaps of a broken file are filled. */
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

/** The label of a picture's output in the filter graph. */
const pictureLabel = ({ rendition }: PicturePlan) => `[${rendition}]`;

/**
 * Decodes once for all pictures and scales each smaller one from the one before it. ffmpeg has
 * already rotated the input frames upright.
 * @param uploadFilters move frames to the memory that a hardware encoder reads
 */
function pictureGraph(
  { videoTrack, pictures }: EncodePlan,
  mapsTones: boolean,
  uploadFilters: readonly string[],
): string {
  const [first, ...smaller] = pictures;
  if (first === undefined) return '';
  const start = [...deinterlace(videoTrack), steady(first.rate), ...toPlain(videoTrack, first, mapsTones)];
  const upload = uploadFilters.length > 0 ? uploadFilters : ['null'];
  const chains: string[] = [];
  let source = `[0:${videoTrack.index}]${start.join(',')}`;
  for (const [place, picture] of pictures.entries()) {
    const next = smaller[place];
    chains.push(next === undefined ? `${source}[own${place}]` : `${source},split[own${place}][rest${place}]`);
    chains.push(`[own${place}]${upload.join(',')}${pictureLabel(picture)}`);
    if (next !== undefined) source = `[rest${place}]${[steady(next.rate), scale(next), 'setsar=1'].join(',')}`;
  }
  return chains.join(';');
}

/**
 * The storyboard, from the same decode, but in a graph of its own: ffmpeg 7 takes frames from a
 * graph only when it is the turn of one of its outputs, the one that is furthest behind. The
 * storyboard gets its only frame at the end, and in a shared graph all other outputs would wait for
 * it in memory.
 */
function storyboardGraph({ videoTrack }: EncodePlan, storyboard: StoryboardPlan, mapsTones: boolean): string {
  const size = { width: storyboard.tileWidth, height: storyboard.tileHeight };
  // The `fps` filter comes first, because the others are expensive.
  const filters = [...still(storyboard), ...toPlain(videoTrack, size, mapsTones), ...sheet(storyboard)];
  return `[0:${videoTrack.index}]${filters.join(',')}${storyboardLabel}`;
}

/** The frame in the middle of each interval. If the file ends early, its last frame is repeated. */
function still({ intervalMs, tiles }: StoryboardPlan): string[] {
  return [`fps=1000/${intervalMs}:start_time=0:eof_action=pass`, `tpad=stop=${tiles}:stop_mode=clone`];
}

function sheet({ tiles, columns, rows }: StoryboardPlan): string[] {
  return [`tile=${columns}x${rows}:nb_frames=${tiles}`, 'format=rgb24'];
}

/** Codecs whose frames may be interlaced although no header says so. */
const maybeInterlaced = new Set(['avc', 'mpeg2video', 'mpeg1video', 'mpeg4', 'vc1', 'wmv3', 'dvvideo', 'prores']);

function deinterlace({ isInterlaced, codec }: DescribedVideoTrack): string[] {
  if (isInterlaced === true) return ['bwdif=mode=send_frame:deint=all'];
  return isInterlaced === null && maybeInterlaced.has(codec) ? ['bwdif=mode=send_frame:deint=interlaced'] : [];
}

/** A constant frame rate that starts at zero. */
function steady({ frames, seconds }: FrameRate): string {
  return `fps=${frames}/${seconds}:start_time=0`;
}

function scale({ width, height }: Sides): string {
  return `scale=w=${width}:h=${height}:flags=bicubic`;
}

/** Converts to 8 bits, 4:2:0, square pixels and BT.709. */
function toPlain(videoTrack: DescribedVideoTrack, size: Sides, mapsTones: boolean): string[] {
  const { hdrTransfer } = videoTrack;
  const colors =
    hdrTransfer !== null && mapsTones
      ? [scale(size), `setparams=color_primaries=bt2020:color_trc=${hdrTransfer}:colorspace=bt2020nc`, ...toneMap]
      : [`${scale(size)}:in_color_matrix=${matrixOf(videoTrack)}:out_color_matrix=bt709:out_range=tv`];
  const tags = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';
  return [...colors, 'setsar=1', 'format=yuv420p', tags];
}

/**
 * The input's colour matrix. If the file does not specify one, it depends on the size, as in
 * players.
 */
function matrixOf({ matrix, width, height, isHdr }: DescribedVideoTrack): string {
  if (matrix !== null && knownMatrices.has(matrix)) return 'auto';
  if (isHdr) return 'bt2020';
  return Math.min(width, height) >= 720 ? 'bt709' : 'bt601';
}

const knownMatrices = new Set(['bt709', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'fcc']);

const unknownSeconds = 4 * 3_600;
const maxSeconds = 24 * 3_600;
/**
 * Processor seconds per second of video. The slowest machines decode large pictures with a high
 * colour depth at a thirtieth of real time.
 */
const processorSecondsEach = 30;
const minProcessorSeconds = 600;
/** Real time per processor time: encodings run at the lowest priority, besides other work. */
const wallFactor = 8;
const maxWallSeconds = 7 * 24 * 3_600;
/** Limit of the address space, enough for several 8K frames per thread. */
const memoryMegabytes = 4_096;

/** The limits at which an encoding is ended. */
export function encodeLimits(durationMs: number | null, fileBytes: number): SandboxLimits {
  const seconds = Math.min(maxSeconds, durationMs === null ? unknownSeconds : durationMs / 1000);
  const processorSeconds = minProcessorSeconds + seconds * processorSecondsEach;
  return {
    seconds: Math.min(maxWallSeconds, processorSeconds * wallFactor),
    processorSeconds,
    memoryMegabytes,
    // ffmpeg writes one line per progress report, and one per complaint about a frame.
    outputBytes: 256 * 1024 * 1024,
    errorBytes: 256 * 1024 * 1024,
    fileBytes,
  };
}

/** The limits of a run that reads a whole file and decodes little of it. */
export function readingLimits(durationMs: number | null, fileBytes: number = limits.subtitleBytes * 8): SandboxLimits {
  const { processorSeconds, ...others } = encodeLimits(durationMs, fileBytes);
  return { ...others, processorSeconds: processorSeconds / 2 };
}
