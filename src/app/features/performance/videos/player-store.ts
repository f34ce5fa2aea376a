import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { fittingAddress } from '#app/playback/quality/rendition-choice.ts';
import { readVideo } from '#contract/endpoints.ts';
import type { Video } from '#contract/entities/video.ts';
import * as failures from '#contract/failures.ts';

interface PlayerState {
  /** The video that plays over the screen. */
  video: Pick<Video, 'filename' | 'url' | 'poster_url'> | null;
  /** Why the video that was asked for does not play. */
  failure: string | null;
}

export const player = proxy<PlayerState>({ video: null, failure: null });

/** Aborted when another video is chosen, or the screen closes. */
let asking = new AbortController();

/** Its address is asked for: the list has none. */
export async function play(id: string): Promise<void> {
  closePlayer();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const { video } = await call(readVideo, { params: { id }, signal });
    const url = video.available ? await fittingAddress(video, signal) : null;
    if (signal.aborted) return;
    if (url !== null) player.video = { ...video, url };
    else player.failure = video.message ?? failures.loadVideo;
  } catch {
    if (!signal.aborted) player.failure = failures.loadVideo;
  }
}

export function closePlayer(): void {
  asking.abort();
  Object.assign(player, { video: null, failure: null });
}
