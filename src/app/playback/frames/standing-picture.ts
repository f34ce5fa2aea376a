import { hasFrameCallback } from '#app/platform/capabilities.ts';
import { afterTwoFrames } from './animation-frames.ts';

/** The first may have been presented while nobody could see the layer; when the second comes, the first is on screen. */
const picturesUntilItStands = 2;
/** What stands for that where frames cannot be observed. */
const secondsUntilItStands = 0.1;
/** A paused layer presents nothing new. */
const framesAtMost = 30;

/**
 * Runs when the picture of a layer that has just come to the front is on screen for sure. A layer that was covered is not composed: what
 * lies in front is transparent until the compositor has taken it up again, which is frames later on a busy machine. Returns what cancels it.
 */
export function whenPictureStands(video: HTMLVideoElement, run: () => void): () => void {
  const [stands, stopCounting] = hasFrameCallback(video) ? countPictures(video) : watchTime(video);
  let drawn = 0;
  let cancelFrames = () => {};
  const look = () => {
    drawn += 1;
    if (stands() || drawn >= framesAtMost) {
      stopCounting();
      cancelFrames = afterTwoFrames(run);
      return;
    }
    const frame = requestAnimationFrame(look);
    cancelFrames = () => cancelAnimationFrame(frame);
  };
  look();
  return () => {
    stopCounting();
    cancelFrames();
  };
}

function countPictures(video: HTMLVideoElement): [() => boolean, () => void] {
  let presented = 0;
  const count = () => {
    presented += 1;
    request = video.requestVideoFrameCallback(count);
  };
  let request = video.requestVideoFrameCallback(count);
  return [() => presented >= picturesUntilItStands, () => video.cancelVideoFrameCallback(request)];
}

function watchTime(video: HTMLVideoElement): [() => boolean, () => void] {
  const from = video.currentTime;
  return [() => video.currentTime - from >= secondsUntilItStands, () => {}];
}
