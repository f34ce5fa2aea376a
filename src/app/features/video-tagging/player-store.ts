import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { canStart } from '#app/platform/http/signed-address.ts';
import { now } from '#app/platform/timers.ts';
import { readVideo } from '#contract/endpoints.ts';
import * as failures from '#contract/failures.ts';
import { changes } from './edits/change-tags.ts';
import type { TaggingVideo } from './videos-store.ts';

type PlayedVideo = Pick<TaggingVideo['video'], 'id' | 'filename' | 'url' | 'poster_url' | 'available' | 'message'>;

/** The video that plays over the screen. */
export const player = proxy<{ video: PlayedVideo | null }>({ video: null });

/** A page that was kept long may be wrong about playing, or have an address that holds no more: it is asked again. */
export async function play(listed: Readonly<PlayedVideo>): Promise<void> {
  const { id, url, available } = listed;
  try {
    const isCurrent = available && canStart(url, now()) !== false;
    const video = isCurrent ? listed : (await call(readVideo, { params: { id } })).video;
    if (video.available) player.video = { ...video };
    else changes.failure = video.message ?? failures.loadVideo;
  } catch {
    changes.failure = failures.loadVideo;
  }
}

export function closePlayer(): void {
  player.video = null;
}
