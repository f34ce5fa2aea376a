import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import type { DescribedTracks } from './embedded-details.ts';
import { readMp4Details } from './embedded-details.ts';
import type { Mp4Box, Mp4Track } from './mp4-track.ts';
import { boxesIn, findBox, readBox, readIsTurned, readTimes, readTrack } from './mp4-track.ts';
import { maxTracks } from './tracks.ts';

/**
 * Most top-level boxes that are read. A fragment has two, and a film may have thousands of
 * fragments; the boxes beyond this limit are assumed to be complete.
 */
const maxOuterBoxes = 1_024;

/**
 * Reads the headers of MP4, M4V and QuickTime (ISO 14496-12), wherever the `moov` box is, with or
 * without fragments. Every top-level box has to end within the file: an incomplete copy keeps its
 * header, plays its first seconds and then fails.
 * @throws HeaderFault
 */
export function readMp4(file: ByteWindow): DescribedTracks {
  const outer = readOuterBoxes(file);
  if (outer.movie === null) throw new HeaderFault('no_index');
  if (!outer.hasMedia) throw new HeaderFault('truncated');
  const { tracks } = outer.movie;
  return {
    seconds: findSeconds(file, outer, outer.movie),
    startSeconds: findStart(file, outer.firstFragment, outer.movie),
    count: tracks.length,
    videoTracks: tracks.flatMap(({ videoTrack }) => videoTrack ?? []),
    sounds: tracks.flatMap(({ sound }) => sound ?? []),
    details: readMp4Details(file, outer.movie.box),
  };
}

/** Any other text after a complete film is no box: some tools and phones append bytes of their own. */
const filmBoxes = new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'sidx', 'ssix', 'emsg', 'prft']);

interface Outer {
  movie: Movie | null;
  hasMedia: boolean;
  /** Number of segment indexes, and the second at which the last of them ends. */
  indexes: number;
  indexEnd: number | null;
  firstFragment: Mp4Box | null;
  /** Null if there is no fragment, or the file has too many boxes to reach the last one. */
  lastFragment: Mp4Box | null;
}

const noFragments = { firstFragment: null, lastFragment: null };

function readOuterBoxes(file: ByteWindow): Outer {
  const outer: Outer = { movie: null, hasMedia: false, indexes: 0, indexEnd: null, ...noFragments };
  let at = 0;
  for (let boxes = 0; boxes < maxOuterBoxes; boxes += 1) {
    const box = readBox(file, at, file.size);
    if (box === null) return outer;
    if (box.end > file.size) {
      if (outer.movie !== null && outer.hasMedia && !filmBoxes.has(box.type)) return outer;
      throw new HeaderFault('truncated');
    }
    lookAt(file, box, outer);
    at = box.end;
  }
  // A single index covers the whole film. If there are several, the last ones were not reached.
  return { ...outer, lastFragment: null, indexEnd: outer.indexes === 1 ? outer.indexEnd : null };
}

function lookAt(file: ByteWindow, box: Mp4Box, outer: Outer): void {
  if (box.type === 'moov') outer.movie ??= readMovie(file, box);
  else if (box.type === 'mdat') outer.hasMedia = true;
  else if (box.type === 'moof') {
    outer.firstFragment ??= box;
    outer.lastFragment = box;
  } else if (box.type === 'sidx') {
    outer.indexes += 1;
    outer.indexEnd = Math.max(outer.indexEnd ?? 0, readIndexEnd(file, box));
  }
}

interface Movie {
  box: Mp4Box;
  seconds: number | null;
  timescale: number;
  isTurned: boolean;
  tracks: Mp4Track[];
  /** The `mvex` box of a fragmented movie. */
  extension: Mp4Box | null;
}

function readMovie(file: ByteWindow, moov: Mp4Box): Movie {
  const movie: Movie = { box: moov, seconds: null, timescale: 0, isTurned: false, tracks: [], extension: null };
  for (const box of boxesIn(file, moov)) {
    if (box.type === 'mvhd') Object.assign(movie, readTimes(file, box), { isTurned: readIsTurned(file, box, 'mvhd') });
    else if (box.type === 'trak') movie.tracks.push(readTrack(file, box, movie.isTurned));
    else if (box.type === 'mvex') movie.extension = box;
    if (movie.tracks.length > maxTracks) throw new HeaderFault('too_complex');
  }
  return movie;
}

function findSeconds(
  file: ByteWindow,
  { indexEnd, lastFragment }: Outer,
  { seconds, timescale, tracks, extension }: Movie,
): number | null {
  const inOnePiece = seconds ?? longest(tracks);
  if (extension === null) return inOnePiece;
  return (
    readExtendedSeconds(file, extension, timescale) ??
    indexEnd ??
    (lastFragment === null ? null : readFragmentEnd(file, { moof: lastFragment, mvex: extension, tracks })) ??
    inOnePiece
  );
}

/** 0 if no track says when it begins. */
function findStart(file: ByteWindow, first: Mp4Box | null, { tracks, timescale }: Movie): number {
  const starts: number[] = [];
  for (const { id, edits, ...track } of tracks) {
    if (track.videoTrack === null && track.sound === null) continue;
    const empty = timescale === 0 ? 0 : edits.emptyUnits / timescale;
    const begin = track.hasSamples || first === null ? 0 : readFirstTime(file, first, id);
    const isAtZero = begin === 0 || track.timescale === 0;
    starts.push(isAtZero ? empty : empty + (begin - edits.mediaUnits) / track.timescale);
  }
  return starts.length === 0 ? 0 : Math.max(0, Math.min(...starts));
}

/** The time of a track's first sample in a fragment, in its own units; 0 if it has none. */
function readFirstTime(file: ByteWindow, moof: Mp4Box, id: number): number {
  for (const box of boxesIn(file, moof)) {
    const head = box.type === 'traf' ? findBox(file, box, 'tfhd') : null;
    if (head === null || file.u32(head.start + 4) !== id) continue;
    const begin = findBox(file, box, 'tfdt');
    if (begin !== null) return readFragmentTime(file, begin);
  }
  return 0;
}

function readFragmentTime(file: ByteWindow, tfdt: Mp4Box): number {
  return file.u8(tfdt.start) === 1 ? file.u64(tfdt.start + 4) : file.u32(tfdt.start + 4);
}

function longest(tracks: readonly Mp4Track[]): number | null {
  const all = tracks.flatMap(({ seconds }) => seconds ?? []);
  return all.length === 0 ? null : Math.max(...all);
}

/** Duration of all fragments from `mehd`, if the muxer knew it. */
function readExtendedSeconds(file: ByteWindow, mvex: Mp4Box, timescale: number): number | null {
  const box = findBox(file, mvex, 'mehd');
  if (box === null || timescale === 0) return null;
  const duration = file.u8(box.start) === 1 ? file.u64(box.start + 4) : file.u32(box.start + 4);
  return duration === 0 ? null : duration / timescale;
}

/**
 * The second at which the last segment of a `sidx` box ends (ISO 14496-12 section 8.16.3). 0 if the
 * box has no valid timescale.
 */
function readIndexEnd(file: ByteWindow, sidx: Mp4Box): number {
  const isLong = file.u8(sidx.start) === 1;
  const timescale = file.u32(sidx.start + 8);
  const list = sidx.start + (isLong ? 32 : 24);
  const count = Math.min(file.u16(list - 2), Math.floor((sidx.end - list) / 12));
  let time = isLong ? file.u64(sidx.start + 12) : file.u32(sidx.start + 12);
  for (let piece = 0; piece < count; piece += 1) time += file.u32(list + piece * 12 + 4);
  return timescale === 0 ? 0 : time / timescale;
}

interface Fragment {
  moof: Mp4Box;
  mvex: Mp4Box;
  tracks: readonly Mp4Track[];
}

/** The second at which a fragment ends, or null if its boxes do not specify when it starts. */
function readFragmentEnd(file: ByteWindow, { moof, mvex, tracks }: Fragment): number | null {
  let end: number | null = null;
  for (const box of boxesIn(file, moof)) {
    if (box.type !== 'traf') continue;
    const seconds = readTrackEnd(file, box, { mvex, tracks });
    if (seconds !== null) end = Math.max(end ?? 0, seconds);
  }
  return end;
}

function readTrackEnd(file: ByteWindow, traf: Mp4Box, { mvex, tracks }: Omit<Fragment, 'moof'>): number | null {
  const head = findBox(file, traf, 'tfhd');
  const begin = findBox(file, traf, 'tfdt');
  if (head === null || begin === null) return null;
  const id = file.u32(head.start + 4);
  const timescale = tracks.find((track) => track.id === id)?.timescale ?? 0;
  if (timescale === 0) return null;
  const sampleDuration = readOwnDefault(file, head) ?? readDefault(file, mvex, id);
  let time = readFragmentTime(file, begin);
  for (const box of boxesIn(file, traf)) if (box.type === 'trun') time += readRun(file, box, sampleDuration);
  return time / timescale;
}

const flagsOf = (file: ByteWindow, box: Mp4Box) => file.u32(box.start) & 0xffffff;

/** The default sample duration from `tfhd`. The flags tell which optional fields precede it. */
function readOwnDefault(file: ByteWindow, tfhd: Mp4Box): number | null {
  const flags = flagsOf(file, tfhd);
  return flags & 0x8 ? file.u32(tfhd.start + 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0)) : null;
}

/** A track's default sample duration for the whole movie, from `trex`. */
function readDefault(file: ByteWindow, mvex: Mp4Box, id: number): number {
  for (const box of boxesIn(file, mvex))
    if (box.type === 'trex' && file.u32(box.start + 4) === id) return file.u32(box.start + 12);
  return 0;
}

/** Total duration of the samples of a `trun` box (ISO 14496-12 section 8.8.8). */
function readRun(file: ByteWindow, trun: Mp4Box, sampleDuration: number): number {
  const flags = flagsOf(file, trun);
  const samples = file.u32(trun.start + 4);
  if (!(flags & 0x100)) return samples * sampleDuration;
  const list = trun.start + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
  const step = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length;
  const count = Math.min(samples, Math.floor((trun.end - list) / step));
  let time = 0;
  for (let sample = 0; sample < count; sample += 1) time += file.u32(list + sample * step);
  return time;
}
