import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { canStart } from '#app/platform/http/signed-address.ts';
import { now } from '#app/platform/timers.ts';
import { readVideo } from '#contract/endpoints.ts';
import * as failures from '#contract/failures.ts';
import { changes } from './edits/change-tags.ts';
import type { TaggingVideo } from './videos-store.ts';

type PlayedVideo = Pick<TaggingVideo['video'], 'id' | 'filename' | 'url' | 'poster_url'>;

/** The video that plays over the screen. */
export const player = proxy<{ video: PlayedVideo | null }>({ video: null });

/** A page that was kept long may have an address that holds no more: it is asked for again. */
export async function play({ id, filename, url, poster_url }: Readonly<PlayedVideo>): Promise<void> {
  try {
    player.video =
      canStart(url, now()) === false
        ? (await call(readVideo, { params: { id } })).video
        : { id, filename, url, poster_url };
  } catch {
    changes.failure = failures.loadVideo;
  }
}

export function closePlayer(): void {
  player.video = null;
}
