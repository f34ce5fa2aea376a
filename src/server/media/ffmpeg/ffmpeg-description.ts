import type { DescribedAudioTrack, DescribedSubtitles } from './described-sound.ts';
import { readAudioTrack, readSubtitles } from './described-sound.ts';
import type { DescribedVideoTrack } from './described-video.ts';
import { readVideoTrack } from './described-video.ts';
import { readStreamLines } from './stream-lines.ts';

/** What ffmpeg says about a file. */
export interface Description {
  durationMs: number | null;
  /** From the size of the file and the bit rate of its start. */
  isDurationGuessed: boolean;
  /** Of all tracks together; null: not said. */
  kbps: number | null;
  /** Null when there is no video track but, at most, that of a cover. */
  videoTrack: DescribedVideoTrack | null;
  audioCodec: string | null;
  audioTracks: DescribedAudioTrack[];
  subtitles: DescribedSubtitles[];
}

/**
 * Reads what `ffmpeg -i` writes to standard error. Null when the file could not be opened, or contradicts itself.
 */
export function readDescription(said: string): Description | null {
  const lines = said.split('\n');
  const streams = readStreamLines(lines);
  if (streams === null || !lines.some((line) => line.startsWith('Input #0, '))) return null;
  const head = lines.find((line) => line.startsWith('  Duration: ')) ?? '';
  const audioTracks = streams.filter(({ kind }) => kind === 'Audio').map(readAudioTrack);
  const videoTracks = streams.filter(({ kind }) => kind === 'Video').flatMap((stream) => readVideoTrack(stream) ?? []);
  return {
    durationMs: readDuration(head),
    isDurationGuessed: isGuessed(said),
    kbps: Number(/ bitrate: (\d+) kb\/s/.exec(head)?.[1]) || null,
    videoTrack: videoTracks[0] ?? null,
    audioCodec: audioTracks[0]?.codec ?? null,
    audioTracks,
    subtitles: streams.filter(({ kind }) => kind === 'Subtitle').map(readSubtitles),
  };
}

function isGuessed(said: string): boolean {
  return /^\[\w+ @ 0x[\da-f]+\] Estimating duration from bitrate/m.test(said);
}

function readDuration(line: string): number | null {
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(line) ?? [];
  if (seconds === undefined) return null;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}
