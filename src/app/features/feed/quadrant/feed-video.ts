import type { PickedVideo } from '#contract/entities/feed.ts';

/** A video as the feed stores it. */
export interface FeedVideo {
  id: string;
  filename: string;
  url: string;
  durationSeconds: number | null;
  posterUrl: string | null;
  tagIds: readonly string[];
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
    tagIds: reply.tags.map(({ id }) => id),
    matching: reply.matching,
  };
}
