import { join } from 'node:path';
import { limits } from '#contract/limits.ts';
import type { Container } from '../containers/container-sniff.ts';
import type { DescribedSubtitles } from '../ffmpeg/described-sound.ts';
import { inputArguments } from '../ffmpeg/ffmpeg-arguments.ts';
import { quietArguments } from './encode-arguments.ts';
import { readMade } from './made-files.ts';

export interface ExtractedSubtitles {
  /** Its place among the subtitles of the file. */
  track: number;
  language: string | null;
  label: string;
  /** WebVTT of our own, as it is served. */
  vtt: Buffer;
}

const nameOf = (track: number) => `subtitles-${track}.vtt`;

export interface TextTrack extends DescribedSubtitles {
  track: number;
}

/** Those that ffmpeg makes WebVTT of; no more than a file may reasonably have. */
export function listTextTracks(subtitles: readonly DescribedSubtitles[]): TextTrack[] {
  return subtitles
    .map((described, track) => ({ ...described, track }))
    .filter(({ form }) => form === 'text')
    .slice(0, limits.subtitleTracks);
}

/** All of them in one run. It ends one that grows too large, a little beyond its limit. */
export function subtitleArguments(container: Container, tracks: readonly TextTrack[]): string[] {
  return [
    ...quietArguments(1),
    ...inputArguments(container),
    ...tracks.flatMap(({ index, track }) => [
      ...['-map', `0:${index}`, '-map_metadata', '-1', '-c:s', 'webvtt', '-fs', String(limits.subtitleBytes + 1)],
      ...['-f', 'webvtt', `file:${nameOf(track)}`],
    ]),
  ];
}

/** What such a run has left in its folder. Tracks without a word, and those that were too large, are left out. */
export async function readSubtitleFiles(
  folder: string,
  tracks: readonly TextTrack[],
  convert: (bytes: Buffer) => Promise<Buffer | null>,
): Promise<ExtractedSubtitles[]> {
  const found: ExtractedSubtitles[] = [];
  for (const { track, language, title, isForced } of tracks) {
    const made = await readMade(join(folder, nameOf(track)), limits.subtitleBytes);
    const vtt = made === null ? null : await convert(made);
    if (vtt === null || !vtt.includes(' --> ')) continue;
    const label = title ?? language ?? `Track ${track + 1}`;
    found.push({ track, language, label: isForced ? `${label} (forced)` : label, vtt });
  }
  return found;
}
