import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import type { DescribedTracks } from './embedded-details.ts';
import { readMatroskaDetails } from './embedded-details.ts';
import type { Element, MatroskaTrack } from './matroska-track.ts';
import { elementsIn, readElement, readFloat, readMatroskaTrack, readUnsigned, readVint } from './matroska-track.ts';
import type { Tracks } from './tracks.ts';
import { maxTracks, readVpFrame } from './tracks.ts';

/** Element ids of RFC 9559. */
const ids = {
  segment: 0x18538067,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  tags: 0x1254c367,
  trackEntry: 0xae,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
};

/** Reads the headers of Matroska and WebM (RFC 9559). @throws HeaderFault */
export function readMatroska(file: ByteWindow): DescribedTracks {
  const segment = findSegment(file);
  if (segment === null || (segment.end > file.size && segment.end !== Number.POSITIVE_INFINITY))
    throw new HeaderFault('truncated');
  return readSegment(file, segment);
}

/**
 * Most elements that are read outside the segment: the header precedes it, and padding may follow
 * the header.
 */
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

/**
 * Most elements of the segment that are read. In all but unusual files, the headers precede the
 * first cluster.
 */
const maxElements = 256;

function readSegment(file: ByteWindow, segment: Element): DescribedTracks {
  let info: Element | null = null;
  let tags: Element | null = null;
  let tracks: MatroskaTrack[] | null = null;
  let isPicture = false;
  let elements = 0;
  for (const element of elementsIn(file, segment)) {
    if (element.id === ids.info) info = element;
    else if (element.id === ids.tags) tags = element;
    else if (element.id === ids.tracks) tracks = readTracks(file, element);
    isPicture ||= element.id === clusterIds.cluster;
    elements += 1;
    // Tags are read only where they precede the pictures.
    if ((info !== null && tracks !== null && (tags !== null || isPicture)) || elements === maxElements) break;
  }
  const seconds = info === null ? null : readSeconds(file, info);
  const formats = (tracks ?? []).map((track) => completeFormat(file, segment, track));
  const startSeconds = readStart(file, segment, info);
  const details = readMatroskaDetails(file, info, tags);
  return { seconds, startSeconds, ...toTracks(formats), details };
}

/** Adds the sample format from the first VP9 frame, as the headers of most WebM files lack it. */
function completeFormat(file: ByteWindow, segment: Element, track: MatroskaTrack): MatroskaTrack {
  const { number, videoTrack } = track;
  if (videoTrack?.codec !== 'vp9' || videoTrack.bitDepth !== null) return track;
  const format = readFirstFrame(file, segment, number, readVpFrame);
  return { ...track, videoTrack: { ...videoTrack, ...format } };
}

function toTracks(tracks: readonly MatroskaTrack[]): Omit<Tracks, 'seconds' | 'startSeconds'> {
  return {
    count: tracks.length,
    videoTracks: tracks.flatMap(({ videoTrack }) => videoTrack ?? []),
    sounds: tracks.flatMap(({ sound }) => sound ?? []),
  };
}

/** Duration in seconds; null for a recording that was never finalized. */
function readSeconds(file: ByteWindow, info: Element): number | null {
  let duration = 0;
  for (const element of elementsIn(file, info)) {
    if (element.id === ids.duration) duration = readFloat(file, element);
  }
  return duration === 0 ? null : duration * readTick(file, info);
}

/** Seconds for each unit of time. */
function readTick(file: ByteWindow, info: Element | null): number {
  const scale = info === null ? null : findElement(file, info, ids.timestampScale);
  return (scale === null ? 1_000_000 : readUnsigned(file, scale)) / 1e9;
}

/** The second at which the first cluster begins. */
function readStart(file: ByteWindow, segment: Element, info: Element | null): number {
  try {
    const cluster = findElement(file, segment, clusterIds.cluster);
    const time = cluster === null ? null : findElement(file, cluster, clusterTime);
    return time === null ? 0 : readUnsigned(file, time) * readTick(file, info);
  } catch (error) {
    // The headers alone already give a valid result.
    if (error instanceof HeaderFault) return 0;
    throw error;
  }
}

function readTracks(file: ByteWindow, list: Element): MatroskaTrack[] {
  const tracks: MatroskaTrack[] = [];
  for (const element of elementsIn(file, list)) {
    if (element.id === ids.trackEntry) tracks.push(readMatroskaTrack(file, element));
    if (tracks.length > maxTracks) throw new HeaderFault('too_complex');
  }
  return tracks;
}

/** Element ids of RFC 9559 section 5.1.3. */
const clusterIds = { cluster: 0x1f43b675, simpleBlock: 0xa3, blockGroup: 0xa0, block: 0xa1 };
const clusterTime = 0xe7;

/** Most elements that are read in a segment, and in its first cluster. */
const maxFrameElements = 64;

/**
 * Reads the header of a track's first frame, which is a key frame. The blocks of all tracks
 * alternate every few milliseconds, so it is near the start of the segment; null if it is not.
 * @param read receives the position of the frame
 */
function readFirstFrame<T>(
  file: ByteWindow,
  segment: Element,
  trackNumber: number,
  read: (file: ByteWindow, at: number) => T,
): T | null {
  try {
    const cluster = findElement(file, segment, clusterIds.cluster);
    const frame = cluster === null ? null : findFrame(file, cluster, trackNumber);
    return frame === null ? null : read(file, frame);
  } catch (error) {
    // The frame is optional, because the headers alone already give a valid result.
    if (error instanceof HeaderFault) return null;
    throw error;
  }
}

function findFrame(file: ByteWindow, cluster: Element, trackNumber: number): number | null {
  let elements = 0;
  for (const element of elementsIn(file, cluster)) {
    const block = element.id === clusterIds.blockGroup ? findElement(file, element, clusterIds.block) : element;
    if (block !== null && (block.id === clusterIds.simpleBlock || block.id === clusterIds.block)) {
      const { value, length } = readVint(file, block.start);
      // The frame follows a timestamp of two bytes and one byte of flags.
      if (value === trackNumber) return block.start + length + 3;
    }
    elements += 1;
    if (elements === maxFrameElements) return null;
  }
  return null;
}

function findElement(file: ByteWindow, parent: Element, id: number): Element | null {
  let elements = 0;
  for (const element of elementsIn(file, parent)) {
    if (element.id === id) return element;
    elements += 1;
    if (elements === maxFrameElements) return null;
  }
  return null;
}
