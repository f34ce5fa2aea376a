import { proxy } from 'valtio/vanilla';
import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { renditionOf, toPlayableVideo } from '#app/playback/quality/playable-video.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { navigation } from '#app/state/navigation.ts';
import { playInQuadrant } from '#app/state/view-requests.ts';
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

/** Aborted when another video is chosen, or the view closes. */
let asking = new AbortController();

/** The list of a card may be old: what it says of playing, and an address that holds no more, is asked for again. */
export async function play(video: VideoCard): Promise<void> {
  const { signal } = forgetAsked();
  const current = await withValidAddress(video, signal);
  if (current) await show(current, signal);
}

/** In the encoding that fills the window. */
async function show(video: VideoCard, signal: AbortSignal): Promise<void> {
  const url = await fittingAddress(video, signal);
  if (!signal.aborted) player.video = { ...video, url };
}

/** Plays the video of a shared address, once. */
export async function playShared(): Promise<void> {
  const id = navigation.sharedVideoId;
  navigation.sharedVideoId = null;
  if (id === null) return;
  const { signal } = forgetAsked();
  const video = await readAgain(id, signal);
  if (video) await show(video, signal);
}

export function dismissFailure(): void {
  player.failure = null;
}

export function closePlayer(): void {
  asking.abort();
  Object.assign(player, { video: null, isChoosing: false });
}

export function chooseQuadrant(isChoosing: boolean): void {
  player.isChoosing = isChoosing;
}

/** The video goes on in a quadrant of the feed, from its start. */
export async function playIn(quadrant: Quadrant): Promise<void> {
  const video = player.video && (await withValidAddress(player.video, forgetAsked().signal));
  if (!video) return closePlayer();
  closePlayer();
  playInQuadrant({ quadrant, video: toPlayableVideo(video, renditionOf(video.url)) });
}

async function withValidAddress(video: VideoCard, signal: AbortSignal): Promise<VideoCard | null> {
  return video.available && canStart(video.url, now()) !== false ? video : readAgain(video.id, signal);
}

/** @returns null when it failed or cannot be played, which is said, or is wanted no more */
async function readAgain(id: string, signal: AbortSignal): Promise<VideoCard | null> {
  try {
    const { video } = await call(readVideo, { params: { id }, signal });
    if (signal.aborted) return null;
    if (video.available) return video;
    player.failure = video.message ?? failures.loadVideo;
    return null;
  } catch {
    if (!signal.aborted) player.failure = failures.loadVideo;
    return null;
  }
}

function forgetAsked(): AbortController {
  asking.abort();
  asking = new AbortController();
  player.failure = null;
  return asking;
}

/** The address that opens this video (§2). */
export function addressOf({ id }: Pick<VideoCard, 'id'>): string {
  return `${location.origin}/?video=${encodeURIComponent(id)}`;
}
