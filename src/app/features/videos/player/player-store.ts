import { proxy } from 'valtio/vanilla';
import { playInQuadrant } from '#app/state/play-request.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { VideoCard } from '../browse-store.ts';

interface PlayerState {
  /** The video that plays over the view. */
  video: VideoCard | null;
  /** The choice of a quadrant is open over it. */
  isChoosing: boolean;
}

export const player = proxy<PlayerState>({ video: null, isChoosing: false });

export function play(video: VideoCard): void {
  player.video = video;
}

export function closePlayer(): void {
  Object.assign(player, { video: null, isChoosing: false });
}

export function chooseQuadrant(isChoosing: boolean): void {
  player.isChoosing = isChoosing;
}

/** The video goes on in a quadrant of the feed, from its start. */
export function playIn(quadrant: Quadrant): void {
  const { video } = player;
  if (!video) return;
  const { id, filename, url, duration, poster_url, tags } = video;
  closePlayer();
  playInQuadrant({
    quadrant,
    video: {
      id,
      filename,
      url,
      durationSeconds: duration,
      posterUrl: poster_url,
      tagIds: tags.map((tag) => tag.id),
    },
  });
}

/** The address that opens this video (§2). */
export function addressOf({ id }: Pick<VideoCard, 'id'>): string {
  return `${location.origin}/?video=${encodeURIComponent(id)}`;
}
