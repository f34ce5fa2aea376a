import { z } from 'zod';
import type { NewJob } from '../../../jobs/job.ts';
import type { Video } from '../../videos/video.ts';

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
