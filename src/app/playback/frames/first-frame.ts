import { hasFrameCallback } from '#app/platform/capabilities.ts';
import { listen } from '../player/listen.ts';

/** A seek lands on the frame before its second, and slow sources have two frames a second. */
const seekToleranceSeconds = 0.5;

/** The first may have been presented while the layer was covered; when the second comes, the first is on screen. */
const minPresentedFrames = 2;
/** What is taken for that where presented frames cannot be observed. */
const minPlayedSeconds = 0.1;
/** A paused layer presents nothing new. */
const maxAnimationFrames = 30;

/**
 * Runs once when the first frame of the layer's source is drawn, at second `at` or later: a source that starts further
 * on may present its very first frame before the seek. A paused layer presents its first frame too. Returns what
 * cancels it.
 * @param mayBeDrawn the source was under way before anybody listened
 */
export function onFirstFrame(layer: HTMLVideoElement, at: number, run: () => void, mayBeDrawn = false): () => void {
  if (!hasFrameCallback(layer)) return onDecodedFrame(layer, at, run);
  return mayBeDrawn ? onEither(layer, at, run) : onPresentedFrame(layer, at, run);
}

/**
 * Runs when a frame of a layer that has just come to the front is on screen for sure. A covered layer is not
 * composited: a layer in front is transparent until the compositor has taken it up again, which is several frames later
 * on a busy machine. Returns what cancels it.
 */
export function onCompositedFrame(video: HTMLVideoElement, run: () => void): () => void {
  const [isComposited, stopCounting] = hasFrameCallback(video) ? countPresented(video) : measurePlayed(video);
  let checks = 0;
  let cancelFrames = () => {};
  const check = () => {
    checks += 1;
    if (isComposited() || checks >= maxAnimationFrames) {
      stopCounting();
      cancelFrames = afterTwoAnimationFrames(run);
      return;
    }
    const frame = requestAnimationFrame(check);
    cancelFrames = () => cancelAnimationFrame(frame);
  };
  check();
  return () => {
    stopCounting();
    cancelFrames();
  };
}

/**
 * Frames that were presented before are not reported again, and the element's own state changes after a frame:
 * whichever comes first.
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
 * Of two frames that follow each other closely, as the first one and that of a seek do, the second may not be reported,
 * and a paused layer presents no third. Runs when its seek has ended well before now.
 */
function onSettledSeek(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  let cancelFrames = () => {};
  const stopListening = listen(layer, {
    seeked() {
      cancelFrames();
      cancelFrames = afterAnimationFrames(maxAnimationFrames, () => {
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
 * Where presented frames cannot be observed (before Chromium 83): a decoded frame is drawn two animation frames later.
 */
function onDecodedFrame(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  let cancelFrames = () => {};
  const check = () => {
    if (!isDecoded(layer) || !hasArrived(layer, at, layer.currentTime)) return;
    stopListening();
    cancelFrames = afterTwoAnimationFrames(run);
  };
  const stopListening = listen(layer, {
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

/** A playing layer has drawn a frame once its time moves; a paused one once its data is there. */
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

/** What was changed before is on screen when it runs. */
function afterTwoAnimationFrames(run: () => void): () => void {
  return afterAnimationFrames(2, run);
}

function afterAnimationFrames(count: number, run: () => void): () => void {
  let left = count;
  const step = () => {
    left -= 1;
    if (left > 0) frame = requestAnimationFrame(step);
    else run();
  };
  let frame = requestAnimationFrame(step);
  return () => cancelAnimationFrame(frame);
}
