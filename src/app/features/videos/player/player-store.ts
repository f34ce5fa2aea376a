import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { navigation } from '#app/state/navigation.ts';
import { playInQuadrant } from '#app/state/play-request.ts';
import { readVideo } from '#contract/endpoints.ts';
import * as failures from '#contract/failures.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { VideoCard } from '../browse-store.ts';

interface PlayerState {
  /** The video that plays over the view. */
  video: VideoCard | null;
  /** The choice of a quadrant is open over it. */
  isChoosing: boolean;
  /** Why the video that was asked for does not play. */
  failure: string | null;
}

export const player = proxy<PlayerState>({ video: null, isChoosing: false, failure: null });

/** A card of a list that was kept may have an address that holds no more: it is asked for again. */
export async function play(video: VideoCard): Promise<void> {
  if (hasExpired(video.url)) await playById(video.id);
  else Object.assign(player, { video, failure: null });
}

/** Plays the video of a shared address, once. */
export async function playShared(): Promise<void> {
  const id = navigation.sharedVideoId;
  navigation.sharedVideoId = null;
  if (id !== null) await playById(id);
}

export function dismissFailure(): void {
  player.failure = null;
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

async function playById(id: string): Promise<void> {
  player.failure = null;
  try {
    player.video = (await call(readVideo, { params: { id } })).video;
  } catch {
    player.failure = failures.loadVideo;
  }
}

/** Signed addresses say until when they hold, in epoch seconds. */
function hasExpired(url: string): boolean {
  const expires = new URL(url, location.origin).searchParams.get('expires');
  return expires !== null && Number(expires) * 1000 <= now();
}

/** The address that opens this video (§2). */
export function addressOf({ id }: Pick<VideoCard, 'id'>): string {
  return `${location.origin}/?video=${encodeURIComponent(id)}`;
}
