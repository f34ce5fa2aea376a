import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import type { NewJob } from '../../jobs/job.ts';
import type { FileOfVideo, LibraryVideo } from '../videos/video.ts';
import type { EncodableVideo } from './encodable-repository.ts';

export const encodeKind = 'encode';

/** The lower number runs first. */
export const encodePriority = {
  /** A viewer sees 'preparing' and waits. */
  waiting: 10,
  /** A viewer has chosen another audio track of a video that plays meanwhile. */
  chosen: 15,
  /** The video has just been uploaded, and its source plays nowhere. */
  uploaded: 20,
  unplayable: 100,
  /** Videos that were withheld from devices because those lack something. */
  lacking: 150,
  popular: 200,
} as const;

type EncodePurpose = keyof typeof encodePriority;

type NamedFile = FileOfVideo & Pick<LibraryVideo, 'id'>;
type MeasuredVideo = NamedFile & Pick<LibraryVideo, 'durationMs'>;

/** Longer videos never run ahead of others, even when a viewer waits: a film is shorter. */
const betweenMaxMs = 4 * 3_600_000;

const payloadSchema = z.object({
  size: z.number(),
  modified_us: z.number(),
  /** The job was queued because devices lack something that the file needs. */
  is_lacked: z.boolean().default(false),
});
type EncodePayload = z.infer<typeof payloadSchema>;

/**
 * The job that encodes the present file of a video: another version of the file has another job. A
 * video that somebody waits for runs ahead of others, unless it is known to be long.
 */
export function toEncodeJob(video: MeasuredVideo, purpose: EncodePurpose): NewJob & Pick<Required<NewJob>, 'lane'> {
  const isAwaited = purpose === 'waiting' || purpose === 'uploaded' || purpose === 'chosen';
  const isShort = video.durationMs === null || video.durationMs <= betweenMaxMs;
  return { ...toFileJob(video, purpose), lane: isAwaited && isShort ? 'between' : 'encode' };
}

/** A job about the present file of a video. */
export function toFileJob(video: NamedFile, purpose: EncodePurpose): NewJob {
  const { number, size, modifiedUs } = video;
  const payload: EncodePayload = { size, modified_us: modifiedUs, is_lacked: purpose === 'lacking' };
  const priority = encodePriority[purpose];
  return { kind: encodeKind, subject: encodeSubject(video), videoNumber: number, payload, priority };
}

function encodeSubject({ id, size, modifiedUs }: NamedFile): string {
  return [id, size.toString(36), modifiedUs.toString(36)].join(' ');
}

/** Parses the payload of a job; null when an older or newer version queued it in another format. */
export function readPayload(payload: unknown): EncodePayload | null {
  return payloadSchema.safeParse(payload).data ?? null;
}

/** The kind of jobs that encode a video with an audio track that a viewer has chosen. */
export const audioKind = 'encode-audio';

const audioPayloadSchema = payloadSchema.extend({ track: z.int(), language: z.string().nullable() });

/** The job that encodes the present file of a video with one of its audio tracks. */
export function toAudioJob(
  video: MeasuredVideo,
  { track, language }: { track: number; language: string | null },
): NewJob & { subject: string } {
  const { lane, payload, subject } = toEncodeJob(video, 'chosen');
  return {
    kind: audioKind,
    subject: `${subject} ${track}`,
    videoNumber: video.number,
    payload: { ...(payload as EncodePayload), track, language },
    priority: encodePriority.chosen,
    lane,
  };
}

/** Parses the payload of a job of `audioKind`; null when another version queued it. */
export function readAudioPayload(payload: unknown): z.infer<typeof audioPayloadSchema> | null {
  return audioPayloadSchema.safeParse(payload).data ?? null;
}

/** The reason why a video is encoded, the most urgent one first. */
export type EncodeReason = 'waiting' | 'unplayable' | 'lacking' | 'popular';

/** True when the encoding only uses free space: nothing is removed to make room for it. */
export function isForFreeRoom(reason: EncodeReason): boolean {
  return reason === 'lacking' || reason === 'popular';
}

type MadeRendition = 'grid' | 'hd';

interface PictureSize {
  /** Pixels as displayed; null when unknown. */
  width: number | null;
  height: number | null;
}

/**
 * Chooses the renditions to make in addition to the existing ones. A video that some devices cannot
 * play gets every rendition that its source is large enough for; a video that plays everywhere gets
 * the ones that save most.
 */
export function renditionsToMake(
  source: PictureSize,
  reason: EncodeReason,
  existing: readonly Rendition[],
): readonly MadeRendition[] {
  // Every encoding plays everywhere, so one is enough for all who wait.
  if (reason !== 'popular' && existing.length > 0) return [];
  const hdFrom = reason === 'popular' ? limits.hdRenditionLines : limits.gridRenditionLines;
  const wanted: MadeRendition[] = heightOf(source) > hdFrom ? ['grid', 'hd'] : ['grid'];
  return existing.includes('grid') ? [] : wanted.filter((rendition) => !existing.includes(rendition));
}

/** The length of the shorter side. An unknown size counts as tall. */
function heightOf({ width, height }: PictureSize): number {
  return width === null || height === null ? Number.POSITIVE_INFINITY : Math.min(width, height);
}

const kbpsOf = { grid: limits.gridKbps, hd: limits.hdKbps } as const;
/** Leaves room for sound, the index, and pictures that are hard to compress. */
const margin = 1.2;
/** Room for a storyboard and subtitles. */
const extraBytes = 1_500_000;
/** Containers whose video stream may be copied into another container. */
const copied: readonly (string | null)[] = ['mp4', 'mov', 'matroska', 'flv', 'mpeg-ts'];

type Source = Pick<EncodableVideo, 'size' | 'durationMs' | 'container' | 'videoCodec'>;

/** Estimates the bytes that the encodings will take, rather too many than too few. */
export function estimateBytes(source: Source, renditions: readonly ('grid' | 'hd')[], reason: EncodeReason): number {
  const encoded = renditions.reduce((sum, rendition) => sum + estimateRendition(source, rendition), 0);
  return encoded + extraBytes + (reason !== 'popular' && mayBeCopied(source) ? source.size : 0);
}

/** An encoding of unknown duration is assumed to take as much as its source. */
export function estimateRendition({ size, durationMs }: Source, rendition: 'grid' | 'hd'): number {
  return durationMs === null ? size : Math.round((kbpsOf[rendition] * durationMs * margin) / 8);
}

function mayBeCopied({ container, videoCodec }: Source): boolean {
  return copied.includes(container) && (videoCodec === 'avc' || videoCodec === null);
}
