import type { Tracks } from '../tracks.ts';
import { maxTracks } from '../tracks.ts';
import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import type { Box } from './iso-box.ts';
import { boxesIn, readBox } from './iso-box.ts';
import { readExtendedSeconds, readFragmentEnd, readIndexEnd } from './mp4-fragments.ts';
import { readIsTurned, readTimes } from './mp4-times.ts';
import type { Mp4Track } from './mp4-track.ts';
import { readTrack } from './mp4-track.ts';

/**
 * Top-level boxes that are looked at: two for each fragment, and a film may have thousands. What follows is taken as
 * whole.
 */
const maxOuterBoxes = 1_024;

/**
 * MP4, M4V and QuickTime (ISO 14496-12), wherever the `moov` box stands, in one piece or in fragments. A copy that
 * broke off keeps its header, plays its first seconds and then fails, so every outer box has to end within the file.
 * @throws HeaderFault
 */
export function readMp4(file: ByteWindow): Tracks {
  const outer = readOuterBoxes(file);
  if (outer.movie === null) throw new HeaderFault('no_index');
  if (!outer.hasMedia) throw new HeaderFault('truncated');
  const { tracks } = outer.movie;
  return {
    seconds: findSeconds(file, outer, outer.movie),
    count: tracks.length,
    videoTracks: tracks.flatMap(({ videoTrack }) => videoTrack ?? []),
    sounds: tracks.flatMap(({ sound }) => sound ?? []),
  };
}

interface Outer {
  movie: Movie | null;
  hasMedia: boolean;
  /** Segment indexes that were met, and the second at which the last of them ends. */
  indexes: number;
  indexEnd: number | null;
  /** Null as well when the boxes were too many to come to it. */
  lastFragment: Box | null;
}

function readOuterBoxes(file: ByteWindow): Outer {
  const outer: Outer = { movie: null, hasMedia: false, indexes: 0, indexEnd: null, lastFragment: null };
  let at = 0;
  for (let boxes = 0; boxes < maxOuterBoxes; boxes += 1) {
    const box = readBox(file, at, file.size);
    if (box === null) return outer;
    if (box.end > file.size) throw new HeaderFault('truncated');
    lookAt(file, box, outer);
    at = box.end;
  }
  // One index speaks of the whole film; of many, the last ones were not met.
  return { ...outer, lastFragment: null, indexEnd: outer.indexes === 1 ? outer.indexEnd : null };
}

function lookAt(file: ByteWindow, box: Box, outer: Outer): void {
  if (box.type === 'moov') outer.movie ??= readMovie(file, box);
  else if (box.type === 'mdat') outer.hasMedia = true;
  else if (box.type === 'moof') outer.lastFragment = box;
  else if (box.type === 'sidx') {
    outer.indexes += 1;
    outer.indexEnd = Math.max(outer.indexEnd ?? 0, readIndexEnd(file, box));
  }
}

interface Movie {
  seconds: number | null;
  timescale: number;
  isTurned: boolean;
  tracks: Mp4Track[];
  /** The `mvex` box of a movie in fragments. */
  extension: Box | null;
}

function readMovie(file: ByteWindow, moov: Box): Movie {
  const movie: Movie = { seconds: null, timescale: 0, isTurned: false, tracks: [], extension: null };
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

function longest(tracks: readonly Mp4Track[]): number | null {
  const all = tracks.flatMap(({ seconds }) => seconds ?? []);
  return all.length === 0 ? null : Math.max(...all);
}
