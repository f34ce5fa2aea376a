import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { fittingAddress } from '#app/playback/quality/fitting-address.ts';
import { readVideo } from '#contract/endpoints.ts';
import * as failures from '#contract/failures.ts';
import { changes } from './edits/change-tags.ts';
import type { TaggingVideo } from './videos-store.ts';

type ListedVideo = TaggingVideo['video'];

/** The video that plays over the screen. */
export const player = proxy<{ video: Pick<ListedVideo, 'filename' | 'url' | 'poster_url'> | null }>({ video: null });

/** Aborted when another video is chosen, or the player is closed. */
let asking = new AbortController();

/**
 * It is asked for again: a page that was kept long may be wrong about playing, and has the address of what is enough for
 * a card.
 */
export async function play({ id }: Pick<ListedVideo, 'id'>): Promise<void> {
  closePlayer();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const { video } = await call(readVideo, { params: { id }, signal });
    const url = video.available ? await fittingAddress(video, signal) : null;
    if (signal.aborted) return;
    if (url !== null) player.video = { ...video, url };
    else changes.failure = video.message ?? failures.loadVideo;
  } catch {
    if (!signal.aborted) changes.failure = failures.loadVideo;
  }
}

export function closePlayer(): void {
  asking.abort();
  player.video = null;
}
