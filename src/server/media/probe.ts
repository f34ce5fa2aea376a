import type { Chroma, NeedBits } from '#contract/rules/media-needs.ts';
import { needsOf } from '#contract/rules/media-needs.ts';
import type { ByteSource } from './containers/byte-window.ts';
import { ByteWindow, HeaderFault } from './containers/byte-window.ts';
import type { Container } from './containers/container-sniff.ts';
import { sniffBytes, sniffContainer } from './containers/container-sniff.ts';
import type { DescribedTracks, EmbeddedDetails } from './containers/embedded-details.ts';
import { readMatroska } from './containers/matroska-header.ts';
import { readMp4 } from './containers/mp4-header.ts';
import type { AudioTrack, VideoTrack } from './containers/tracks.ts';
import type { UnplayableReason } from './unplayable.ts';

/**
 * Version of the header reader. Increase it when the same headers give another result, such as
 * another reason: the next scan then reads again the files that an older version has read.
 */
export const headerVersion = 5;

/** The result of probing a file. `reason` is null if some browsers can play it. */
export interface Probe {
  container: Container | null;
  videoCodec: string | null;
  audioCodec: string | null;
  bitDepth: number | null;
  chroma: Chroma | null;
  durationMs: number | null;
  /** Displayed size in pixels, after rotation and pixel aspect ratio. */
  width: number | null;
  height: number | null;
  /** The needs that a device has to meet to play the file; 0 for a file that was not read. */
  needs: NeedBits;
  reason: UnplayableReason | null;
  details: EmbeddedDetails;
}

const nothingKnown: Probe = {
  container: null,
  videoCodec: null,
  audioCodec: null,
  bitDepth: null,
  chroma: null,
  durationMs: null,
  width: null,
  height: null,
  needs: 0,
  reason: null,
  details: { title: null, description: null, recordedAt: null },
};

/** The probe of a file that was not read, with the reason. */
export function unread(reason: UnplayableReason, container: Container | null = null): Probe {
  return { ...nothingKnown, container, reason };
}

/**
 * Reads from the headers what a player needs to know, synchronously and with bounded work. Any
 * bytes give a probe.
 * @throws only what `source.read` throws, and RangeError if the file is shorter than its size
 */
export function probe(source: ByteSource): Probe {
  if (source.size === 0) return unread('empty');
  const file = new ByteWindow(source);
  const container = sniffContainer(file.head(sniffBytes));
  if (container === null) return unread('not_a_video');
  const refusal = unplayableContainers[container];
  return refusal === null ? readHeaders(file, container) : unread(refusal, container);
}

/** Null for the containers whose headers are read. */
const unplayableContainers: Record<Container, UnplayableReason | null> = {
  mp4: null,
  mov: null,
  webm: null,
  matroska: null,
  avi: 'container_avi',
  asf: 'container_asf',
  flv: 'container_flv',
  'mpeg-ts': 'container_mpeg',
  'mpeg-ps': 'container_mpeg',
};

function readHeaders(file: ByteWindow, container: Container): Probe {
  try {
    return describe(container === 'mp4' || container === 'mov' ? readMp4(file) : readMatroska(file), container);
  } catch (error) {
    if (error instanceof HeaderFault) return unread(error.reason, container);
    throw error;
  }
}

function describe(tracks: DescribedTracks, container: Container): Probe {
  const videoTrack = chooseVideoTrack(tracks.videoTracks);
  if (videoTrack === undefined) return unread(tracks.count === 0 ? 'no_index' : 'no_picture', container);
  const facts = {
    container,
    videoCodec: videoTrack.codec,
    audioCodec: chooseSound(tracks.sounds)?.codec ?? null,
    bitDepth: videoTrack.bitDepth,
    chroma: videoTrack.chroma,
    width: wholeWithin(videoTrack.width, largestSide),
    height: wholeWithin(videoTrack.height, largestSide),
  };
  return {
    ...facts,
    needs: needsOf(facts),
    durationMs: wholeWithin((playedSeconds(tracks) ?? Number.NaN) * 1000, Number.MAX_SAFE_INTEGER),
    reason: findFault(videoTrack, tracks),
    details: tracks.details,
  };
}

/**
 * Some players wait out a gap before the first picture and sound, and others skip it with a wrong
 * seek bar. A gap of at most so many seconds is not noticed.
 */
export const longestGapSeconds = 1;

/** The playing time without the gap before the first picture and sound. */
function playedSeconds({ seconds, startSeconds }: DescribedTracks): number | null {
  const isLate = seconds !== null && startSeconds > longestGapSeconds && seconds > startSeconds;
  return isLate ? seconds - startSeconds : seconds;
}

/** The largest value of PostgreSQL's `integer`. */
const largestSide = 2 ** 31 - 1;

/**
 * A header's value, rounded, if a column can hold it; otherwise null, including NaN and infinity.
 */
function wholeWithin(value: number, largest: number): number | null {
  return value >= 0 && value <= largest ? Math.round(value) : null;
}

/**
 * Chooses the main video track. In some files a cover image is a video track too, usually with an
 * unknown codec.
 */
function chooseVideoTrack(videoTracks: readonly VideoTrack[]): VideoTrack | undefined {
  const known = videoTracks.filter(({ codec }) => codec !== null);
  return known.find(({ isDefault }) => isDefault) ?? known[0] ?? videoTracks[0];
}

function chooseSound(sounds: readonly AudioTrack[]): AudioTrack | undefined {
  return sounds.find(({ isDefault }) => isDefault) ?? sounds[0];
}

/** Slightly more than 8K. Decoders fail beyond this size. */
const maxPixelsPerSide = 8_192;
const longestSeconds = 30 * 24 * 3_600;
/** Most seconds per frame. A lecture may show one slide for minutes, and a song its cover. */
const maxSecondsEach = 600;

/** Why no browser can play a video with these headers, or null if some can. */
function findFault(
  { codec, codedWidth, codedHeight, width, height, secondsEach }: VideoTrack,
  { seconds, startSeconds }: DescribedTracks,
): UnplayableReason | null {
  if (seconds !== null && !(seconds >= 0 && seconds <= longestSeconds)) return 'damaged';
  if (![codedWidth, codedHeight, width, height].every((side) => side > 0 && side <= maxPixelsPerSide))
    return 'picture_size';
  if (secondsEach !== null && secondsEach > maxSecondsEach) return 'too_few_pictures';
  return codecFault(codec) ?? (startSeconds > longestGapSeconds ? 'begins_late' : null);
}

const playableCodecs = new Set(['avc', 'hevc', 'vp8', 'vp9', 'av1']);

function codecFault(codec: string | null): UnplayableReason | null {
  if (codec !== null && playableCodecs.has(codec)) return null;
  return codec === 'prores' ? 'codec_prores' : 'codec_unknown';
}
