import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { limits } from '#contract/limits.ts';
import { byteSourceOf } from '../containers/byte-window.ts';
import type { Container } from '../containers/container-sniff.ts';
import { FfmpegFailure } from '../ffmpeg/ffmpeg.ts';
import { inputArguments } from '../ffmpeg/ffmpeg-arguments.ts';
import type { DescribedSubtitles } from '../ffmpeg/ffmpeg-description.ts';
import { ppmToWebp } from '../ffmpeg/poster.ts';
import type { Probe } from '../probe.ts';
import { probe } from '../probe.ts';
import { quietArguments, storyboardName } from './encode-arguments.ts';
import type { StoryboardPlan } from './ladder.ts';

/** The properties that an encoding has to have. */
interface Expected {
  /** Null if unknown. */
  durationMs: number | null;
  /** Null for the size of the source. */
  size: { width: number; height: number } | null;
  hasSound: boolean;
}

interface CheckedFile {
  width: number;
  height: number;
  durationMs: number | null;
  bytes: number;
}

/** Tracks end at different times, and stated durations are rounded. */
const toleranceMs = 2_000;
const toleranceShare = 0.05;

/**
 * Checks a file of the private folder with the server's own reader, because a compromised program
 * may have left anything there.
 * @throws FfmpegFailure
 */
export async function checkEncoding(path: string, expected: Expected): Promise<CheckedFile> {
  await using file = await openMade(path);
  const facts = await file.stat();
  if (!facts.isFile() || facts.size === 0) throw new FfmpegFailure('unreadable');
  const found = probe(byteSourceOf(file.fd, facts.size));
  const { width, height, durationMs } = found;
  if (width === null || height === null || !isAsExpected(found, expected)) throw new FfmpegFailure('unreadable');
  return { width, height, durationMs, bytes: facts.size };
}

function isAsExpected(found: Probe, { durationMs, size, hasSound }: Expected): boolean {
  if (found.container !== 'mp4' || found.videoCodec !== 'avc' || found.reason !== null) return false;
  if (hasSound !== (found.audioCodec !== null)) return false;
  if (size !== null && (found.width !== size.width || found.height !== size.height)) return false;
  return isNear(found.durationMs, durationMs);
}

function isNear(found: number | null, expected: number | null): boolean {
  if (found === null || found <= 0) return false;
  return expected === null || Math.abs(found - expected) <= Math.max(toleranceMs, expected * toleranceShare);
}

/** Null if the file does not exist or is too large. */
async function readMade(path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    await using file = await openMade(path);
    const facts = await file.stat();
    return facts.isFile() && facts.size <= maxBytes ? await file.readFile() : null;
  } catch {
    return null;
  }
}

/** Opens a file without following a link or waiting for a pipe. */
async function openMade(path: string) {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new FfmpegFailure('unreadable');
  }
}

export interface EncodedStoryboard {
  webp: Buffer;
  columns: number;
  rows: number;
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

const maxPpmBytes = 32 * 1024 * 1024;

/**
 * Reads the storyboard that a run has left in its folder. Null if there is none, or it has another
 * size.
 */
export async function findMadeStoryboard(folder: string, plan: StoryboardPlan): Promise<EncodedStoryboard | null> {
  const ppm = await readMade(join(folder, storyboardName), maxPpmBytes);
  if (ppm === null) return null;
  const { tiles: _, ...shape } = plan;
  const size = { width: plan.columns * plan.tileWidth, height: plan.rows * plan.tileHeight };
  try {
    const { webp, width, height } = await ppmToWebp(ppm, size.width * size.height);
    return width === size.width && height === size.height ? { webp, ...shape } : null;
  } catch (error) {
    if (error instanceof FfmpegFailure) return null;
    throw error;
  }
}

export interface ExtractedSubtitles {
  /** Index among the subtitle tracks of the file. */
  track: number;
  language: string | null;
  label: string;
  /** Sanitized WebVTT, as it is served. */
  vtt: Buffer;
}

const nameOf = (track: number) => `subtitles-${track}.vtt`;

interface TextTrack extends DescribedSubtitles {
  track: number;
}

/** The tracks that ffmpeg can convert to WebVTT, up to `subtitleTracks`. */
export function listTextTracks(subtitles: readonly DescribedSubtitles[]): TextTrack[] {
  return subtitles
    .map((described, track) => ({ ...described, track }))
    .filter(({ form }) => form === 'text')
    .slice(0, limits.subtitleTracks);
}

/**
 * Extracts all tracks in one run. ffmpeg ends a track slightly beyond its size limit, which marks
 * it as too large.
 */
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

/**
 * Reads the subtitles that such a run has left in its folder, without empty tracks and those that
 * were too large.
 */
export async function readSubtitleFiles(
  folder: string,
  tracks: readonly TextTrack[],
  convert: (bytes: Buffer) => Promise<Buffer | null>,
): Promise<ExtractedSubtitles[]> {
  const found: ExtractedSubtitles[] = [];
  for (const { track, language, title, isForced } of tracks) {
    const made = await readMade(join(folder, nameOf(track)), limits.subtitleBytes);
    // A text may have blank lines, at which WebVTT would end it. Without its first word, the file is
    // read like SRT.
    const vtt = made === null ? null : await convert(made.subarray('WEBVTT'.length));
    if (vtt === null || !vtt.includes(' --> ')) continue;
    const label = title ?? language ?? `Track ${track + 1}`;
    found.push({ track, language, label: isForced ? `${label} (forced)` : label, vtt });
  }
  return found;
}
