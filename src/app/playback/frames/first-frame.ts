import { hasFrameCallback } from '#app/platform/capabilities.ts';
import { listen } from '../player/listen.ts';
import { afterTwoFrames } from './animation-frames.ts';

/** A seek lands on the frame before its second, and slow sources have two frames a second. */
const seekToleranceSeconds = 0.5;

/**
 * Runs once when the first picture of the layer's source is drawn, at second `at` or later: a source that starts further on
 * may present its very first frame before the seek. A paused layer presents its first frame too. Returns what cancels it.
 * @param mayStand the source was under way before anybody watched
 */
export function onFirstFrame(layer: HTMLVideoElement, at: number, run: () => void, mayStand = false): () => void {
  if (!hasFrameCallback(layer)) return onDrawnFrame(layer, at, run);
  return mayStand ? onEither(layer, at, run) : onPresentedFrame(layer, at, run);
}

/** Only frames that come later are presented to us, and the element's own facts come after what was presented: so whichever tells first. */
function onEither(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  const cancels = [onPresentedFrame, onDrawnFrame].map((watch) => watch(layer, at, finish));
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
  const look: VideoFrameRequestCallback = (_now, frame) => {
    if (hasArrived(layer, at, frame.mediaTime)) run();
    else request = layer.requestVideoFrameCallback(look);
  };
  let request = layer.requestVideoFrameCallback(look);
  return () => layer.cancelVideoFrameCallback(request);
}

/** Where frames cannot be observed (before Chromium 83): a picture that is decoded is drawn two animation frames later. */
function onDrawnFrame(layer: HTMLVideoElement, at: number, run: () => void): () => void {
  let cancelFrames = () => {};
  const look = () => {
    if (!hasPicture(layer) || !hasArrived(layer, at, layer.currentTime)) return;
    stopListening();
    cancelFrames = afterTwoFrames(run);
  };
  const stopListening = listen(layer, { loadeddata: look, seeked: look, playing: look, timeupdate: look, pause: look });
  look();
  return () => {
    stopListening();
    cancelFrames();
  };
}

/** A playing layer has drawn its picture once its time moves; a still has when its data is there. */
function hasPicture(layer: HTMLVideoElement): boolean {
  const isDecoded = layer.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA && !layer.seeking;
  return isDecoded && (layer.paused || layer.currentTime > 0);
}

function hasArrived(layer: HTMLVideoElement, at: number, seconds: number): boolean {
  return seconds >= Math.min(at, layer.duration || at) - seekToleranceSeconds;
}
