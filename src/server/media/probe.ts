import type { Chroma, NeedBits } from '#contract/rules/media-needs.ts';
import { needsOf } from '#contract/rules/media-needs.ts';
import type { ByteSource } from './containers/byte-window.ts';
import { ByteWindow, HeaderFault } from './containers/byte-window.ts';
import type { Container } from './containers/container-sniff.ts';
import { sniffBytes, sniffContainer } from './containers/container-sniff.ts';
import { readMatroska } from './containers/matroska-header.ts';
import { readMp4 } from './containers/mp4-header.ts';
import type { AudioTrack, Tracks, VideoTrack } from './containers/tracks.ts';
import type { UnplayableReason } from './unplayable.ts';

/**
 * Goes up when more is read out of headers, or something is read otherwise: files that an older version has read are
 * read again by the next scan.
 */
export const headerVersion = 2;

/** What a file turned out to be. `reason` is null when some browsers can play it. */
export interface Probe {
  container: Container | null;
  videoCodec: string | null;
  audioCodec: string | null;
  bitDepth: number | null;
  chroma: Chroma | null;
  durationMs: number | null;
  /** Pixels as shown: turned and stretched as the file wants it. */
  width: number | null;
  height: number | null;
  /** What a device has to play to show it; 0 for a file that was not read. */
  needs: NeedBits;
  reason: UnplayableReason | null;
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
};

/** A file that was not read, and why. */
export function unread(reason: UnplayableReason, container: Container | null = null): Probe {
  return { ...nothingKnown, container, reason };
}

/**
 * Reads what a player needs to know from the headers, at once and with bounded work. Whatever the bytes are, the answer
 * is a probe.
 * @throws only what `source.read` throws, and when the file is shorter than its size
 */
export function probe(source: ByteSource): Probe {
  if (source.size === 0) return unread('empty');
  const file = new ByteWindow(source);
  const container = sniffContainer(file.head(sniffBytes));
  if (container === null) return unread('not_a_video');
  const refusal = unplayableContainers[container];
  return refusal === null ? readHeaders(file, container) : unread(refusal, container);
}

/** Null for those that are read further. */
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

function describe(tracks: Tracks, container: Container): Probe {
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
    durationMs: tracks.seconds === null ? null : wholeWithin(tracks.seconds * 1000, Number.MAX_SAFE_INTEGER),
    reason: findFault(videoTrack, tracks.seconds),
  };
}

/** PostgreSQL's `integer`. */
const largestSide = 2 ** 31 - 1;

/** What a header claims, as long as a column can hold it; null for anything else, NaN and infinity among it. */
function wholeWithin(value: number, largest: number): number | null {
  return value >= 0 && value <= largest ? Math.round(value) : null;
}

/** A cover beside a film is a video track too, in a format of its own. */
function chooseVideoTrack(videoTracks: readonly VideoTrack[]): VideoTrack | undefined {
  const known = videoTracks.filter(({ codec }) => codec !== null);
  return known.find(({ isDefault }) => isDefault) ?? known[0] ?? videoTracks[0];
}

function chooseSound(sounds: readonly AudioTrack[]): AudioTrack | undefined {
  return sounds.find(({ isDefault }) => isDefault) ?? sounds[0];
}

/** 8K and a little: beyond it decoders give up. */
const maxPixelsPerSide = 8_192;
const longestSeconds = 30 * 24 * 3_600;
/** A lecture may show one slide for long, and a song its cover. */
const maxSecondsEach = 600;

/** Why no browser plays what the headers promise; null when some do. */
function findFault(
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
