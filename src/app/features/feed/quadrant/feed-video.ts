import type { PickedVideo } from '#contract/entities/feed.ts';

/** A video as the feed stores it. */
export interface FeedVideo {
  id: string;
  filename: string;
  url: string;
  durationSeconds: number | null;
  posterUrl: string | null;
  /** How many videos its quadrant drew from. */
  matching: number;
}

export function toFeedVideo(reply: PickedVideo): FeedVideo {
  return {
    id: reply.id,
    filename: reply.filename,
    url: reply.url,
    durationSeconds: reply.duration,
    posterUrl: reply.poster_url,
    matching: reply.matching,
  };
}
