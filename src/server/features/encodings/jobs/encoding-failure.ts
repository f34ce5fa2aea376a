import { JobFailure, JobPostponed } from '../../../jobs/job.ts';
import type { FfmpegFault } from '../../../media/ffmpeg/ffmpeg.ts';
import { FfmpegFailure } from '../../../media/ffmpeg/ffmpeg.ts';
import { unplayable } from '../../../media/unplayable.ts';
import { isDiskFull } from '../../../storage/disk-space.ts';
import type { FullDisk } from '../room/full-disk.ts';

/** Why a video cannot be made playable, in words for a person. */
const sentences = {
  not_a_video: unplayable.not_a_video,
  no_picture: unplayable.no_picture,
  unreadable: unplayable.damaged,
  output: 'This video gives far more than its length explains, and cannot be converted.',
  time: 'Converting this video took too long.',
  memory: 'Converting this video took too much memory.',
  crashed: 'This video cannot be converted: ffmpeg crashes on it.',
} as const satisfies Partial<Record<FfmpegFault, string>>;

/** Another attempt would end in the same way. */
const isFinal: ReadonlySet<FfmpegFault> = new Set(['not_a_video', 'no_picture']);

/** While there is no ffmpeg, or it cannot be started, which says nothing about the video. */
const missingDelayMs = 10 * 60_000;

/** How a job ends that threw this. */
export function toJobEnd(error: unknown, fullDisk: FullDisk): unknown {
  if (isDiskFull(error) || (error instanceof FfmpegFailure && error.fault === 'disk_full'))
    return new JobPostponed(fullDisk.note());
  if (!(error instanceof FfmpegFailure)) return error;
  const sentence = Object.entries(sentences).find(([fault]) => fault === error.fault)?.[1];
  if (sentence === undefined) return new JobPostponed(missingDelayMs);
  return new JobFailure(sentence, { isFinal: isFinal.has(error.fault) });
}
