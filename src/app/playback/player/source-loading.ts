import { hasFrameCallback } from '#app/platform/capabilities.ts';
import { recovered } from '#app/platform/link.ts';
import { limits } from '#contract/limits.ts';
import { after, now } from '#device/timers.ts';
import { addressOf, isStarved, listenTo, setSource } from './video-element.ts';

export interface Source {
  /** Stream URL, as the server returned it. */
  url: string;
  /** Start position in seconds; 0 by default. */
  at?: number;
  /** The video that this source belongs to, for its metrics. */
  videoId?: string | undefined;
}

/**
 * Why a source gives no frames. `no-picture`: it loads, but the browser cannot decode its video
 * track. `frozen`: its data is buffered, but playback has stalled.
 */
export type PlayerError = 'network' | 'decode' | 'unsupported' | 'no-picture' | 'frozen';

/** `ready`: the first frame of the source is drawn. */
export type SourceEvent = { type: 'ready' } | { type: 'failed'; error: PlayerError };

/**
 * Sets a layer's source and emits one event: its first frame was drawn, or it failed.
 * Returns a function that cancels it; afterwards nothing is emitted.
 */
export function loadSource(
  layer: HTMLVideoElement,
  { url, at = 0 }: Source,
  emit: (event: SourceEvent) => void,
): () => void {
  const stopListening = listenTo(layer, {
    loadedmetadata: handleMetadata,
    error: () => fail(errorOf(layer)),
  });
  const isUnderWay = layer.getAttribute('src') === addressOf(url);
  if (!isUnderWay) setSource(layer, url);
  const ready = () => {
    cancel();
    emit({ type: 'ready' });
  };
  const cancelFrame = onFirstFrame(layer, at, ready, isUnderWay);
  // Runs asynchronously, as an element's own events do, so that the caller has returned.
  const cancelPast = isUnderWay ? after(0, handlePast) : () => {};

  /** A source that was set before may already have fired its events. */
  function handlePast(): void {
    if (layer.error) fail(errorOf(layer));
    else if (layer.readyState >= HTMLMediaElement.HAVE_METADATA) handleMetadata();
  }

  function handleMetadata(): void {
    if (!hasVideoTrack(layer)) fail('no-picture');
    else if (at > 0) layer.currentTime = at;
  }

  function cancel(): void {
    cancelPast();
    stopListening();
    cancelFrame();
  }

  function fail(error: PlayerError): void {
    cancel();
    emit({ type: 'failed', error });
  }

  return cancel;
}

/** Chromium without HEVC support plays the sound, reports no size and fires no error. */
function hasVideoTrack(layer: HTMLVideoElement): boolean {
  return layer.videoWidth > 0;
}

export function errorOf(layer: HTMLVideoElement): PlayerError {
  switch (layer.error?.code) {
    case MediaError.MEDIA_ERR_NETWORK:
      return 'network';
    case MediaError.MEDIA_ERR_DECODE:
      return 'decode';
    default:
      return 'unsupported';
  }
}

/** A seek may land on the frame before its target, and slow sources have two frames a second. */
const seekToleranceSeconds = 0.5;

/**
 * The first frame may have been presented while the layer was covered; at the second, the first is
 * on screen.
 */
const minPresentedFrames = 2;
/** Playback time that counts as two frames where presented frames cannot be observed. */
const minPlayedSeconds = 0.1;
/** Limit for a paused layer, which presents no new frames. */
const maxAnimationFrames = 30;

/**
 * Runs once when the first frame at second `at` or later is drawn: a source with a start position
 * may present its very first frame before the seek. A paused layer presents its first frame too.
 * Returns a function that cancels it.
 * @param mayBeDrawn the source was loading before the listeners were added
 */
function onFirstFrame(layer: HTMLVideoElement, at: number, run: () => void, mayBeDrawn = false): () => void {
  if (!hasFrameCallback(layer)) return onDecodedFrame(layer, at, run);
  return mayBeDrawn ? onEither(layer, at, run) : onPresentedFrame(layer, at, run);
}

/**
 * Runs when a frame of a layer that has just come to the front is surely on screen. A covered layer
 * is not composited: after a swap it is transparent until the compositor includes it again, several
 * frames later on a busy machine. Returns a function that cancels it.
 */
export function onCompositedFrame(video: HTMLVideoElement, run: () => void): () => void {
  const [isComposited, stopCounting] = hasFrameCallback(video) ? countPresented(video) : measurePlayed(video);
  let checks = 0;
  let cancelFrames = () => {};
  const check = () => {
    checks += 1;
    if (isComposited() || checks >= maxAnimationFrames) {
      stopCounting();
      cancelFrames = afterAnimationFrames(video, 2, run);
      return;
    }
    cancelFrames = onAnimationFrame(video, check);
  };
  check();
  return () => {
    stopCounting();
    cancelFrames();
  };
}

/**
 * Frames presented earlier are not reported again, and the element's state changes only after a
 * frame: this waits for whichever comes first.
 */
function onEither(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  const cancels = [onPresentedFrame, onDecodedFrame].map((watch) => watch(layer, at, finish));
  const cancel = () => {
    for (const cancelOne of cancels) cancelOne();
  };
  function finish(): void {
    cancel();
    run();
  }
  return cancel;
}

function onPresentedFrame(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  const check: VideoFrameRequestCallback = (_now, frame) => {
    if (hasArrived(layer, at, frame.mediaTime)) finish();
    else request = layer.requestVideoFrameCallback(check);
  };
  let request = layer.requestVideoFrameCallback(check);
  const stopListening = at > 0 ? onSettledSeek(layer, at, finish) : () => {};
  function cancel(): void {
    layer.cancelVideoFrameCallback(request);
    stopListening();
  }
  function finish(): void {
    cancel();
    run();
  }
  return cancel;
}

/**
 * Runs a while after a seek has ended. When two frames follow each other closely, as the first
 * frame and that of the seek do, the second may not be reported, and a paused layer presents no
 * third.
 */
function onSettledSeek(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  let cancelFrames = () => {};
  const stopListening = listenTo(layer, {
    seeked() {
      cancelFrames();
      cancelFrames = afterAnimationFrames(layer, maxAnimationFrames, () => {
        if (isDecoded(layer) && hasArrived(layer, at, layer.currentTime)) run();
      });
    },
  });
  return () => {
    stopListening();
    cancelFrames();
  };
}

/**
 * The fallback where presented frames cannot be observed (before Chromium 83): a decoded frame is
 * drawn two animation frames later.
 */
function onDecodedFrame(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  let cancelFrames = () => {};
  const check = () => {
    if (!isDecoded(layer) || !hasArrived(layer, at, layer.currentTime)) return;
    stopListening();
    cancelFrames = afterAnimationFrames(layer, 2, run);
  };
  const stopListening = listenTo(layer, {
    loadeddata: check,
    seeked: check,
    playing: check,
    timeupdate: check,
    pause: check,
  });
  check();
  return () => {
    stopListening();
    cancelFrames();
  };
}

/**
 * A playing layer has drawn a frame once its time advances; a paused one once its data is decoded.
 */
function isDecoded(layer: HTMLVideoElement): boolean {
  const hasData = layer.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && !layer.seeking;
  return hasData && (layer.paused || layer.currentTime > 0);
}

function hasArrived(layer: HTMLVideoElement, at: number, seconds: number): boolean {
  return seconds >= Math.min(at, layer.duration || at) - seekToleranceSeconds;
}

function countPresented(video: HTMLVideoElement): [() => boolean, () => void] {
  let presented = 0;
  const count = () => {
    presented += 1;
    request = video.requestVideoFrameCallback(count);
  };
  let request = video.requestVideoFrameCallback(count);
  return [() => presented >= minPresentedFrames, () => video.cancelVideoFrameCallback(request)];
}

function measurePlayed(video: HTMLVideoElement): [() => boolean, () => void] {
  const from = video.currentTime;
  return [() => video.currentTime - from >= minPlayedSeconds, () => {}];
}

/** A count of 2 means that changes made before the call are on screen when `run` is called. */
function afterAnimationFrames(video: HTMLVideoElement, count: number, run: () => void): () => void {
  let left = count;
  const step = () => {
    left -= 1;
    if (left > 0) cancel = onAnimationFrame(video, step);
    else run();
  };
  let cancel = onAnimationFrame(video, step);
  return () => cancel();
}

/**
 * The small window draws its videos while the page that it belongs to is hidden; once it is closed,
 * the page alone draws.
 */
function onAnimationFrame({ ownerDocument }: HTMLVideoElement, run: () => void): () => void {
  const views = [...new Set([globalThis, ownerDocument.defaultView ?? globalThis])];
  const frames = views.map((view) =>
    view.requestAnimationFrame(() => {
      cancel();
      run();
    }),
  );
  const cancel = () => {
    for (const [at, view] of views.entries()) view.cancelAnimationFrame(frames[at] ?? 0);
  };
  return cancel;
}

/**
 * `silent`: no byte has arrived for `firstBytesTimeoutSeconds`, although the element needs data and
 * requests it.
 * `recovered`: the network has recovered after the element received nothing for
 * `unansweredSeconds`.
 */
type DataWaitEvent = 'silent' | 'recovered';

const limitMs = limits.firstBytesTimeoutSeconds * 1000;

/**
 * Watches an element whose position does not advance: no engine gives up on a server that accepts a
 * request and never answers. Returns a function that stops watching.
 */
export function watchDataWait(video: HTMLVideoElement, emit: (event: DataWaitEvent) => void): () => void {
  let since = now();
  let cancel = after(limitMs, check);
  const restart = () => {
    since = now();
  };
  const stopListening = listenTo(video, {
    progress: restart,
    loadedmetadata: restart,
    waiting: restart,
    seeking: restart,
    timeupdate: restart,
  });
  const stopHearing = recovered.listen(
    () => waitedMs() >= limits.unansweredSeconds * 1000 && needsData(video) && emit('recovered'),
  );

  /** The device's clock may be set back, so the result is clamped to 0. */
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

/**
 * Whether the element waits for data. Some browsers suspend loading before the first tap; such an
 * element does not wait.
 */
function needsData(video: HTMLVideoElement): boolean {
  const isLoading = video.networkState === HTMLMediaElement.NETWORK_LOADING;
  return isLoading && (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || isStarved(video));
}
