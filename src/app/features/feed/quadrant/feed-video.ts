import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import type { PickedVideo } from '#contract/entities/feed.ts';

/** A video as the feed stores it. */
export interface FeedVideo extends PlayableVideo {
  /** How many videos its quadrant drew from. */
  matching: number;
}

export function toFeedVideo(reply: PickedVideo): FeedVideo {
  return { ...toPlayableVideo(reply, reply.rendition), matching: reply.matching };
}
