import { proxy } from 'valtio/vanilla';
import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { readVideo } from '#contract/endpoints.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { changes } from './edits/change-tags.ts';
import type { TaggingVideo } from './videos-store.ts';

type ListedVideo = TaggingVideo['video'];
type PlayedVideo = Pick<ListedVideo, 'filename' | 'url' | 'poster_url' | 'available' | 'message'>;

/** The video that plays over the screen. */
export const player = proxy<{ video: PlayedVideo | null }>({ video: null });

/** Aborted when another video is chosen, or the player is closed. */
let asking = new AbortController();

export async function play(listed: Readonly<ListedVideo>): Promise<void> {
  closePlayer();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const video = await readCurrent(listed, signal);
    if (signal.aborted) return;
    if (video.available) player.video = video;
    else changes.failure = video.message ?? failures.loadVideo;
  } catch {
    if (!signal.aborted) changes.failure = failures.loadVideo;
  }
}

/**
 * It is asked for again: a page that was kept long may be wrong about playing, and has the address of what is enough for
 * a card. That one plays where nobody answers soon.
 */
async function readCurrent(listed: Readonly<ListedVideo>, signal: AbortSignal): Promise<PlayedVideo> {
  const { id, url, available } = listed;
  try {
    const { video } = await call(readVideo, { params: { id }, signal, limitSeconds: limits.unansweredSeconds });
    return video.available ? { ...video, url: await fittingAddress(video, signal) } : video;
  } catch (error) {
    if (available && canStart(url, now()) !== false) return { ...listed };
    throw error;
  }
}

export function closePlayer(): void {
  asking.abort();
  player.video = null;
}
