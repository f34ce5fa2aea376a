import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { byteSourceOf } from '../containers/byte-window.ts';
import { FfmpegFailure } from '../ffmpeg/ffmpeg.ts';
import type { Probe } from '../probe/probe.ts';
import { probe } from '../probe/probe.ts';

/** What is expected of an encoding. */
export interface Expected {
  /** Null: not known. */
  durationMs: number | null;
  /** Null: as the source has it. */
  size: { width: number; height: number } | null;
  hasSound: boolean;
}

export interface CheckedFile {
  width: number;
  height: number;
  durationMs: number | null;
  bytes: number;
}

/** Tracks end at different times, and what is said of a length is rounded. */
const toleranceMs = 2_000;
const toleranceShare = 0.05;

/**
 * A file from the private folder, read by our own reader: a program that went astray may have left anything there.
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

/** Null where there is none, or what is there is larger than it may be. */
export async function readMade(path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    await using file = await openMade(path);
    const facts = await file.stat();
    return facts.isFile() && facts.size <= maxBytes ? await file.readFile() : null;
  } catch {
    return null;
  }
}

/** A link or a pipe in its place is not followed, and not waited for. */
async function openMade(path: string) {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw new FfmpegFailure('unreadable');
  }
}
