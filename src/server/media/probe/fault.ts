import type { VideoTrack } from '../tracks.ts';
import type { UnplayableReason } from '../unplayable.ts';

/** 8K and a little: beyond it decoders give up. */
const maxPixelsPerSide = 8_192;
const longestSeconds = 30 * 24 * 3_600;
/** A lecture may show one slide for long, and a song its cover. */
const maxSecondsEach = 600;

/** Why no browser plays what the headers promise; null when some do. */
export function findFault(
  { codec, codedWidth, codedHeight, width, height, secondsEach }: VideoTrack,
  seconds: number | null,
): UnplayableReason | null {
  if (seconds !== null && !(seconds >= 0 && seconds <= longestSeconds)) return 'damaged';
  if (![codedWidth, codedHeight, width, height].every((side) => side > 0 && side <= maxPixelsPerSide))
    return 'picture_size';
  if (secondsEach !== null && secondsEach > maxSecondsEach) return 'too_few_pictures';
  return codecFault(codec);
}

const playableCodecs = new Set(['avc', 'hevc', 'vp8', 'vp9', 'av1']);

function codecFault(codec: string | null): UnplayableReason | null {
  if (codec !== null && playableCodecs.has(codec)) return null;
  return codec === 'prores' ? 'codec_prores' : 'codec_unknown';
}
