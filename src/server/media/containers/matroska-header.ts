import type { Tracks } from '../tracks.ts';
import { maxTracks } from '../tracks.ts';
import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import { readVpFrame } from './codec-configuration.ts';
import type { Element } from './ebml-element.ts';
import { elementsIn, readElement, readFloat, readUnsigned } from './ebml-element.ts';
import { readFirstFrame } from './matroska-frame.ts';
import type { MatroskaTrack } from './matroska-track.ts';
import { readMatroskaTrack } from './matroska-track.ts';

/** Ids of RFC 9559. */
const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
};

/**
 * Matroska and WebM (RFC 9559).
 * @throws HeaderFault
 */
export function readMatroska(file: ByteWindow): Tracks {
  const segment = findSegment(file);
  if (segment === null || (segment.end > file.size && segment.end !== Number.POSITIVE_INFINITY))
    throw new HeaderFault('truncated');
  return readSegment(file, segment);
}

/** Elements outside the segment that are looked at: the header comes first, and padding may follow it. */
const maxOuterElements = 16;

function findSegment(file: ByteWindow): Element | null {
  let at = 0;
  for (let elements = 0; elements < maxOuterElements; elements += 1) {
    const element = readElement(file, at, file.size);
    if (element === null || element.id === ids.segment) return element;
    at = element.end;
  }
  return null;
}

/** Elements of the segment that are looked at. What is read here stands before the first cluster, but in odd files. */
const maxElements = 256;

function readSegment(file: ByteWindow, segment: Element): Tracks {
  let seconds: number | null = null;
  let tracks: MatroskaTrack[] | null = null;
  let hasInfo = false;
  let elements = 0;
  for (const element of elementsIn(file, segment)) {
    if (element.id === ids.info) {
      seconds = readSeconds(file, element);
      hasInfo = true;
    } else if (element.id === ids.tracks) tracks = readTracks(file, element);
    elements += 1;
    if ((hasInfo && tracks !== null) || elements === maxElements) break;
  }
  return toTracks(
    seconds,
    (tracks ?? []).map((track) => completeFormat(file, segment, track)),
  );
}

/** Most WebM files say nothing of how samples are stored: the first frame of VP9 does. */
function completeFormat(file: ByteWindow, segment: Element, track: MatroskaTrack): MatroskaTrack {
  const { number, videoTrack } = track;
  if (videoTrack?.codec !== 'vp9' || videoTrack.bitDepth !== null) return track;
  const format = readFirstFrame(file, segment, number, readVpFrame);
  return { ...track, videoTrack: { ...videoTrack, ...format } };
}

function toTracks(seconds: number | null, tracks: readonly MatroskaTrack[]): Tracks {
  return {
    seconds,
    count: tracks.length,
    videoTracks: tracks.flatMap(({ videoTrack }) => videoTrack ?? []),
    sounds: tracks.flatMap(({ sound }) => sound ?? []),
  };
}

/** Null for a recording that was never finished. */
function readSeconds(file: ByteWindow, info: Element): number | null {
  let scale = 1_000_000;
  let duration = 0;
  for (const element of elementsIn(file, info)) {
    if (element.id === ids.timestampScale) scale = readUnsigned(file, element);
    else if (element.id === ids.duration) duration = readFloat(file, element);
  }
  return duration === 0 ? null : (duration * scale) / 1e9;
}

function readTracks(file: ByteWindow, list: Element): MatroskaTrack[] {
  const tracks: MatroskaTrack[] = [];
  for (const element of elementsIn(file, list)) {
    if (element.id === ids.trackEntry) tracks.push(readMatroskaTrack(file, element));
    if (tracks.length > maxTracks) throw new HeaderFault('too_complex');
  }
  return tracks;
}
