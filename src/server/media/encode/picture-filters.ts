import type { DescribedVideoTrack } from '../ffmpeg/described-video.ts';
import { toneMap } from '../ffmpeg/ffmpeg-arguments.ts';
import type { Sides } from '../tracks.ts';
import type { FrameRate } from './frame-rate.ts';
import type { EncodePlan, PicturePlan } from './ladder.ts';
import type { StoryboardPlan } from './storyboard-plan.ts';

/** Which label of the graph is which output. */
export const pictureLabel = ({ rendition }: PicturePlan) => `[${rendition}]`;
export const storyboardLabel = '[storyboard]';

/**
 * One decode for all pictures: each smaller one is made of the one before it, and the sheet of stills of the last. It
 * begins with a frame that ffmpeg has turned upright.
 * @param uploadFilters bring frames to where a hardware encoder reads them
 */
export function filterGraph(plan: EncodePlan, mapsTones: boolean, uploadFilters: readonly string[]): string {
  const [first, ...smaller] = plan.pictures;
  const input = `[0:${plan.videoTrack.index}]`;
  if (first === undefined) return plan.storyboard === null ? '' : stillsOfKeyframes(plan, plan.storyboard, mapsTones);
  const start = [...deinterlace(plan.videoTrack), steady(first.rate), ...toPlain(plan.videoTrack, first, mapsTones)];
  const chains: string[] = [];
  let source = `${input}${start.join(',')}`;
  for (const [place, picture] of plan.pictures.entries()) {
    const next = smaller[place];
    const isRead = next !== undefined || plan.storyboard !== null;
    const upload = uploadFilters.length > 0 ? uploadFilters : ['null'];
    chains.push(isRead ? `${source},split[own${place}][rest${place}]` : `${source}[own${place}]`);
    chains.push(`[own${place}]${upload.join(',')}${pictureLabel(picture)}`);
    if (next !== undefined) source = `[rest${place}]${[steady(next.rate), scale(next), 'setsar=1'].join(',')}`;
    else if (plan.storyboard !== null)
      chains.push(`[rest${place}]${stills(plan.storyboard).join(',')}${storyboardLabel}`);
  }
  return chains.join(';');
}

function stillsOfKeyframes({ videoTrack }: EncodePlan, storyboard: StoryboardPlan, mapsTones: boolean): string {
  const size = { width: storyboard.tileWidth, height: storyboard.tileHeight };
  // Fewer frames before the costly filters.
  const filters = [...still(storyboard), ...toPlain(videoTrack, size, mapsTones), ...sheet(storyboard)];
  return `[0:${videoTrack.index}]${filters.join(',')}${storyboardLabel}`;
}

function stills(storyboard: StoryboardPlan): string[] {
  return [
    ...still(storyboard),
    scale({ width: storyboard.tileWidth, height: storyboard.tileHeight }),
    ...sheet(storyboard),
  ];
}

/** The frame in the middle of each interval; the last one again where the file ends early. */
function still({ intervalMs, tiles }: StoryboardPlan): string[] {
  return [`fps=1000/${intervalMs}:start_time=0:eof_action=pass`, `tpad=stop=${tiles}:stop_mode=clone`];
}

function sheet({ tiles, columns, rows }: StoryboardPlan): string[] {
  return [`tile=${columns}x${rows}:nb_frames=${tiles}`, 'format=rgb24'];
}

/** Formats whose frames may be interlaced without a header that says so. */
const maybeInterlaced = new Set(['avc', 'mpeg2video', 'mpeg1video', 'mpeg4', 'vc1', 'wmv3', 'dvvideo', 'prores']);

function deinterlace({ isInterlaced, codec }: DescribedVideoTrack): string[] {
  if (isInterlaced === true) return ['bwdif=mode=send_frame:deint=all'];
  return isInterlaced === null && maybeInterlaced.has(codec) ? ['bwdif=mode=send_frame:deint=interlaced'] : [];
}

/** Each frame as long as the others, from the very start. */
function steady({ frames, seconds }: FrameRate): string {
  return `fps=${frames}/${seconds}:start_time=0`;
}

function scale({ width, height }: Sides): string {
  return `scale=w=${width}:h=${height}:flags=bicubic`;
}

/** 8 bits, 4:2:0, square pixels, and the colours of BT.709. */
function toPlain(videoTrack: DescribedVideoTrack, size: Sides, mapsTones: boolean): string[] {
  const { hdrTransfer } = videoTrack;
  const colors =
    hdrTransfer !== null && mapsTones
      ? [scale(size), `setparams=color_primaries=bt2020:color_trc=${hdrTransfer}:colorspace=bt2020nc`, ...toneMap]
      : [`${scale(size)}:in_color_matrix=${matrixOf(videoTrack)}:out_color_matrix=bt709:out_range=tv`];
  const tags = 'setparams=range=tv:color_primaries=bt709:color_trc=bt709:colorspace=bt709';
  return [...colors, 'setsar=1', 'format=yuv420p', tags];
}

/** What does not say so was made with the matrix of its size, as players take it, too. */
function matrixOf({ matrix, width, height, isHdr }: DescribedVideoTrack): string {
  if (matrix !== null && knownMatrices.has(matrix)) return 'auto';
  if (isHdr) return 'bt2020';
  return Math.min(width, height) >= 720 ? 'bt709' : 'bt601';
}

const knownMatrices = new Set(['bt709', 'bt470bg', 'smpte170m', 'smpte240m', 'bt2020nc', 'fcc']);
