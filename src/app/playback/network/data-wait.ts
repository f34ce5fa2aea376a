import { recovered } from '#app/platform/http/recovery.ts';
import { after, now } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import { listen } from '../player/listen.ts';
import { isStarved } from '../player/video-element.ts';

/**
 * `silent`: no byte has come for `firstBytesTimeoutSeconds`, although the element needs some and asks for them.
 * `recovered`: the network recovers after the element has been without a byte for `unansweredSeconds`.
 */
type DataWaitEvent = 'silent' | 'recovered';

const limitMs = limits.firstBytesTimeoutSeconds * 1000;

/**
 * Watches an element that has a source, and whose time does not move: no engine gives up by itself on a server that
 * accepts and never answers. Returns what ends it.
 */
export function watchDataWait(video: HTMLVideoElement, emit: (event: DataWaitEvent) => void): () => void {
  let since = now();
  let cancel = after(limitMs, check);
  const restart = () => {
    since = now();
  };
  const stopListening = listen(video, {
    progress: restart,
    loadedmetadata: restart,
    waiting: restart,
    seeking: restart,
    timeupdate: restart,
  });
  const stopHearing = recovered.listen(
    () => waitedMs() >= limits.unansweredSeconds * 1000 && needsData(video) && emit('recovered'),
  );

  /** The device's clock may have been set back. */
  function waitedMs(): number {
    return Math.max(0, now() - since);
  }

  function check(): void {
    const leftMs = needsData(video) ? limitMs - waitedMs() : limitMs;
    cancel = after(leftMs > 0 ? leftMs : limitMs, check);
    if (leftMs <= 0) emit('silent');
  }

  return () => {
    cancel();
    stopListening();
    stopHearing();
  };
}

/** An element whose browser has decided to load no more for now, as some do before the first tap, waits for nothing. */
function needsData(video: HTMLVideoElement): boolean {
  const isLoading = video.networkState === HTMLMediaElement.NETWORK_LOADING;
  return isLoading && (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || isStarved(video));
}
