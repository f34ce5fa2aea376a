import { after } from '#app/platform/timers.ts';
import { listen } from '../player/listen.ts';
import type { Meet } from '../player/replacement.ts';
import { isStarved } from '../player/video-element.ts';

/** A frame or two. */
const toleranceSeconds = 0.06;
/** Further ahead than a load may take: somebody has sought in between. */
const maxLeadSeconds = 8;
/** An element in front may stop for want of data meanwhile. */
const checkAtLeastEveryMs = 250;
/** By so much more each time a seek may take longer than the one before. */
const seekSeconds = 0.5;
const maxSeeks = 4;
const limitMs = 15_000;

/**
 * Lets a still frame of the back wait until the front reaches it. A back that is late, or waits for a front that has
 * stopped for want of data, seeks to where the front is.
 */
export const meetFront: Meet = (front, back, end) => {
  let seeks = 0;
  let cancel = () => {};
  const finish = (haveMet: boolean) => {
    stop();
    end(haveMet);
  };
  const stopListening = listen(back, { seeked: check, error: () => finish(false) });
  const cancelLimit = after(limitMs, () => finish(false));

  function check(): void {
    cancel();
    const lead = back.currentTime - front.currentTime;
    const isReady = !back.seeking && back.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (front.ended || front.error || lead > maxLeadSeconds) finish(false);
    else if (isReady && Math.abs(lead) <= toleranceSeconds) finish(true);
    else if (isReady && (lead < 0 || isStarved(front))) seek();
    else cancel = after(Math.min(isReady ? lead * 1000 : checkAtLeastEveryMs, checkAtLeastEveryMs), check);
  }

  function seek(): void {
    seeks += 1;
    if (seeks > maxSeeks) finish(false);
    else back.currentTime = front.currentTime + (isStarved(front) ? 0 : seeks * seekSeconds);
  }

  function stop(): void {
    cancel();
    cancelLimit();
    stopListening();
  }

  check();
  return stop;
};
