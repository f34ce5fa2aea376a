import type { DescribedVideoTrack } from '../ffmpeg/described-video.ts';
import { toneMap } from '../ffmpeg/ffmpeg-arguments.ts';
import type { Sides } from '../tracks.ts';
import type { FrameRate } from './frame-rate.ts';
import type { EncodePlan, PicturePlan } from './ladder.ts';
import type { StoryboardPlan } from './storyboard-plan.ts';

/** Which label of a graph is which output. */
export const pictureLabel = ({ rendition }: PicturePlan) => `[${rendition}]`;
export const storyboardLabel = '[storyboard]';

/**
 * One decode for all pictures: each smaller one is made of the one before it. It begins with a frame that ffmpeg has
 * turned upright.
 * @param uploadFilters bring frames to where a hardware encoder reads them
 */
export function pictureGraph(
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
 * The sheet of stills, of the same decode. A graph of its own: ffmpeg 7 takes pictures from a graph only when the output
 * that is furthest behind has one, and the sheet has its only one at the end. All others would wait for it in memory.
 */
export function storyboardGraph({ videoTrack }: EncodePlan, storyboard: StoryboardPlan, mapsTones: boolean): string {
  const size = { width: storyboard.tileWidth, height: storyboard.tileHeight };
  // Fewer frames before the costly filters.
  const filters = [...still(storyboard), ...toPlain(videoTrack, size, mapsTones), ...sheet(storyboard)];
  return `[0:${videoTrack.index}]${filters.join(',')}${storyboardLabel}`;
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
