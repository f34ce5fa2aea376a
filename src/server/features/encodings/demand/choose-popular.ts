import { limits } from '#contract/limits.ts';
import { estimateBytes, estimateRendition } from '../jobs/estimate-bytes.ts';
import { renditionsToMake } from '../jobs/renditions-to-make.ts';
import type { PopularVideo } from './demand-repository.ts';

/** A source with so many times the bits of an encoding is worth one. */
const worthwhileFactor = 2;

type Candidate = Pick<PopularVideo, 'picks' | 'size' | 'durationMs' | 'width' | 'height' | 'container' | 'videoCodec'>;

/** The video whose encoding saves most bytes of all that fit; null when none is worth it. */
export function choosePopular<Video extends Candidate>(videos: readonly Video[], freeBytes: number): Video | null {
  let best: Video | null = null;
  for (const video of videos)
    if (isWorthIt(video) && fits(video, freeBytes) && (best === null || savedBytes(video) > savedBytes(best)))
      best = video;
  return best;
}

function isWorthIt({ size, durationMs }: Candidate): boolean {
  return durationMs !== null && durationMs > 0 && (size * 8) / durationMs >= worthwhileFactor * limits.gridKbps;
}

/** By the least that is made of it. */
export function fits(video: Omit<Candidate, 'picks'>, freeBytes: number): boolean {
  return estimateBytes(video, renditionsToMake(video, 'popular', []), 'popular') <= freeBytes;
}

/** By all picks together. */
function savedBytes(video: Candidate): number {
  return video.picks * Math.max(0, video.size - estimateRendition(video, 'grid'));
}
