import type { AudioTrack, VideoTrack } from '../tracks.ts';
import type { ByteWindow } from './byte-window.ts';
import type { Box } from './iso-box.ts';
import { boxesIn, findBox } from './iso-box.ts';
import { readAudioTrack, readVideoTrack } from './mp4-sample-entry.ts';
import { readIsTurned, readTimes } from './mp4-times.ts';

export interface Mp4Track {
  id: number;
  timescale: number;
  seconds: number | null;
  videoTrack: VideoTrack | null;
  sound: AudioTrack | null;
}

interface TrackBoxes {
  id: number;
  isDefault: boolean;
  isTurned: boolean;
  media: Box | null;
}

/** A `trak` box. A track that is neither video nor audio, or does not say how it is stored, has neither. */
export function readTrack(file: ByteWindow, trak: Box, isMovieTurned: boolean): Mp4Track {
  const boxes = readTrackBoxes(file, trak);
  const times = findBox(file, boxes.media, 'mdhd');
  const { timescale, seconds } = times === null ? { timescale: 0, seconds: null } : readTimes(file, times);
  const track: Mp4Track = { id: boxes.id, timescale, seconds, videoTrack: null, sound: null };
  const samples = findBox(file, findBox(file, boxes.media, 'minf'), 'stbl');
  const entry = findFirstEntry(file, samples);
  if (samples === null || entry === null) return track;
  const kind = readHandler(file, boxes.media);
  if (kind === 'soun') track.sound = { codec: readAudioTrack(file, entry), isDefault: boxes.isDefault };
  if (kind !== 'vide') return track;
  const stored = readVideoTrack(file, entry, boxes.isTurned !== isMovieTurned);
  const secondsEach = timescale === 0 ? null : readMeanDuration(file, samples) / timescale;
  return { ...track, videoTrack: { ...stored, isDefault: boxes.isDefault, secondsEach } };
}

function readTrackBoxes(file: ByteWindow, trak: Box): TrackBoxes {
  const boxes: TrackBoxes = { id: 0, isDefault: true, isTurned: false, media: null };
  for (const box of boxesIn(file, trak)) {
    if (box.type === 'mdia') boxes.media = box;
    if (box.type !== 'tkhd') continue;
    boxes.id = file.u32(box.start + (file.u8(box.start) === 1 ? 20 : 12));
    boxes.isDefault = (file.u8(box.start + 3) & 1) === 1;
    boxes.isTurned = readIsTurned(file, box, 'tkhd');
  }
  return boxes;
}

function readHandler(file: ByteWindow, media: Box | null): string | null {
  const handler = findBox(file, media, 'hdlr');
  return handler === null ? null : file.text(handler.start + 8, 4);
}

/** How the samples are stored. Few files say it in several ways, and players go by the first. */
function findFirstEntry(file: ByteWindow, samples: Box | null): Box | null {
  const descriptions = findBox(file, samples, 'stsd');
  if (descriptions === null) return null;
  for (const entry of boxesIn(file, descriptions, descriptions.start + 8)) return entry;
  return null;
}

/** Runs of equal durations that are looked at. */
const maxRuns = 32;

/** In units of the track's time; 0 where the samples are elsewhere. */
function readMeanDuration(file: ByteWindow, samples: Box): number {
  const table = findBox(file, samples, 'stts');
  if (table === null) return 0;
  const runs = Math.min(file.u32(table.start + 4), maxRuns, Math.floor((table.end - table.start - 8) / 8));
  let count = 0;
  let duration = 0;
  for (let run = 0; run < runs; run += 1) {
    const at = table.start + 8 + run * 8;
    count += file.u32(at);
    duration += file.u32(at) * file.u32(at + 4);
  }
  return count === 0 ? 0 : duration / count;
}
