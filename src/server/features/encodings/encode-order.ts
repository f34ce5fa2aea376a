import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { Video } from '../videos/video.ts';
import type { EncodableVideo } from './encodable-repository.ts';

export const encodeKind = 'encode';

/** Lower goes first. */
export const encodePriority = {
  /** Somebody sees that it is being made ready. */
  waiting: 10,
  /** It has just been uploaded, and nothing plays it. */
  uploaded: 20,
  unplayable: 100,
  /** Devices that asked for videos were not given it. */
  lacking: 150,
  popular: 200,
} as const;

type EncodePurpose = keyof typeof encodePriority;

type FileOfVideo = Pick<Video, 'number' | 'id' | 'size' | 'modifiedUs'>;
type MeasuredVideo = FileOfVideo & Pick<Video, 'durationMs'>;

/** What is longer does not go between, whoever waits for it: a film is shorter. */
const betweenMaxMs = 4 * 3_600_000;

const payloadSchema = z.object({
  size: z.number(),
  modified_us: z.number(),
  /** Devices lack something that the file needs. */
  is_lacked: z.boolean().default(false),
});
type EncodePayload = z.infer<typeof payloadSchema>;

/**
 * The job that encodes a video as its file is now: of another file there is another job. What somebody waits for goes
 * between others, unless it is known to be long.
 */
export function toEncodeJob(video: MeasuredVideo, purpose: EncodePurpose): NewJob {
  const isAwaited = purpose === 'waiting' || purpose === 'uploaded';
  const isShort = video.durationMs === null || video.durationMs <= betweenMaxMs;
  return { ...toFileJob(video, purpose), lane: isAwaited && isShort ? 'between' : 'encode' };
}

/** A job about a video as its file is now. */
export function toFileJob(video: FileOfVideo, purpose: EncodePurpose): NewJob {
  const { number, size, modifiedUs } = video;
  const payload: EncodePayload = { size, modified_us: modifiedUs, is_lacked: purpose === 'lacking' };
  const priority = encodePriority[purpose];
  return { kind: encodeKind, subject: encodeSubject(video), videoNumber: number, payload, priority };
}

function encodeSubject({ id, size, modifiedUs }: FileOfVideo): string {
  return [id, size.toString(36), modifiedUs.toString(36)].join(' ');
}

/** What a job is about; null when an older or newer version has queued it in other words. */
export function readPayload(payload: unknown): EncodePayload | null {
  return payloadSchema.safeParse(payload).data ?? null;
}

/** What a video is encoded for; those before go before. */
export type EncodeReason = 'waiting' | 'unplayable' | 'lacking' | 'popular';

/** It is worth free room, and nothing goes for it. */
export function isForFreeRoom(reason: EncodeReason): boolean {
  return reason === 'lacking' || reason === 'popular';
}

type MadeRendition = 'grid' | 'hd';

interface PictureSize {
  /** Pixels as shown; null: not known. */
  width: number | null;
  height: number | null;
}

/**
 * What is made of a video beyond what there is. What not every device plays gets all that its source is good for; what
 * plays everywhere gets what saves most.
 */
export function renditionsToMake(
  source: PictureSize,
  reason: EncodeReason,
  existing: readonly Rendition[],
): readonly MadeRendition[] {
  // Every encoding plays everywhere: nobody waits any more.
  if (reason !== 'popular' && existing.length > 0) return [];
  const hdFrom = reason === 'popular' ? limits.hdRenditionLines : limits.gridRenditionLines;
  const wanted: MadeRendition[] = linesOf(source) > hdFrom ? ['grid', 'hd'] : ['grid'];
  return existing.includes('grid') ? [] : wanted.filter((rendition) => !existing.includes(rendition));
}

/** Of the shorter side. What is not known counts as tall. */
function linesOf({ width, height }: PictureSize): number {
  return width === null || height === null ? Number.POSITIVE_INFINITY : Math.min(width, height);
}

const kbpsOf = { grid: limits.gridKbps, hd: limits.hdKbps } as const;
/** Sound, the index, and pictures that are harder than most. */
const margin = 1.2;
/** A sheet of stills, and subtitles. */
const extraBytes = 1_500_000;
/** Of these the picture may be copied into another container. */
const copied: readonly (string | null)[] = ['mp4', 'mov', 'matroska', 'flv', 'mpeg-ts'];

type Source = Pick<EncodableVideo, 'size' | 'durationMs' | 'container' | 'videoCodec'>;

/** Bytes that an encoding will take, rather too many than too few. */
export function estimateBytes(source: Source, renditions: readonly ('grid' | 'hd')[], reason: EncodeReason): number {
  const encoded = renditions.reduce((sum, rendition) => sum + estimateRendition(source, rendition), 0);
  return encoded + extraBytes + (reason !== 'popular' && mayBeCopied(source) ? source.size : 0);
}

/** Of unknown length it takes as much as the source. */
export function estimateRendition({ size, durationMs }: Source, rendition: 'grid' | 'hd'): number {
  return durationMs === null ? size : Math.round((kbpsOf[rendition] * durationMs * margin) / 8);
}

function mayBeCopied({ container, videoCodec }: Source): boolean {
  return copied.includes(container) && (videoCodec === 'avc' || videoCodec === null);
}
