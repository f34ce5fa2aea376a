import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { isSaved } from '../quadrant/quadrant.ts';

/** The playing time after which a video counts as watched, in seconds. */
const watchedSeconds = 30;
/** A sample may miss the first and the last second of a short video. */
const missedSeconds = 2;

/** Counts what plays, and gives each watched video to the reel once it has left the screen. */
export class WatchedVideos {
  private readonly playing = byQuadrant((): { video: FeedVideo; seconds: number } | null => null);

  /** To be called once a second. @param shown the videos on screen, those that play among them */
  note(shown: Readonly<Record<Quadrant, FeedVideo | null>>, plays: readonly Quadrant[]): void {
    for (const quadrant of quadrants) {
      const before = this.playing[quadrant];
      const video = shown[quadrant];
      if (before && before.video.url !== video?.url) {
        if (isWatched(before.video, before.seconds)) void keepWatched(before.video);
        this.playing[quadrant] = null;
      }
      if (!video || !plays.includes(quadrant) || isSaved(video)) continue;
      this.playing[quadrant] = { video, seconds: (this.playing[quadrant]?.seconds ?? 0) + 1 };
    }
  }
}

function isWatched({ durationSeconds }: FeedVideo, seconds: number): boolean {
  const whole = durationSeconds === null ? watchedSeconds : Math.max(1, durationSeconds - missedSeconds);
  return seconds >= Math.min(watchedSeconds, whole);
}

/** If the file does not load, the next watched video tries again. */
async function keepWatched(video: FeedVideo): Promise<void> {
  if (!savedNotice.isReelOn) return;
  const loaded = await import('#app/state/saved/reel.ts').catch(() => null);
  await loaded?.reel.keep(video);
}
