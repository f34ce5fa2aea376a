/** How one video played. */
export interface VideoSums {
  stalls: number;
  failures: number;
  playedMs: number;
}

/** Playback that broke off for good is as bad as so many stalls. */
export const failureWeight = 10;

export function troubleOf({ stalls, failures }: Pick<VideoSums, 'stalls' | 'failures'>): number {
  return stalls + failureWeight * failures;
}

export function addVideoSums(known: VideoSums | undefined, more: VideoSums): VideoSums {
  if (known === undefined) return more;
  return {
    stalls: known.stalls + more.stalls,
    failures: known.failures + more.failures,
    playedMs: known.playedMs + more.playedMs,
  };
}
