import { ImageOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { after } from '#device/timers.ts';
import { createVideo } from '../../playback/player/video-element.ts';
import { LeasedVideo } from './leased-video.ts';
import styles from './preview.module.css';

interface Props {
  /** Stream URL of the video. */
  url: string;
  /**
   * The server's still image, which needs no decoder; without it, or if it fails, a frame of the
   * video is drawn.
   */
  posterUrl?: string | null;
  /** The text in place of a missing frame: 'Click to tag'. */
  failedText: string;
  /**
   * The reason why the video cannot be played: it is shown over the poster, and no frame is drawn.
   */
  message?: string | null;
  /** Elements over the frame: a badge, a play button. */
  children?: ReactNode;
}

/**
 * A frame of a video on its card, loaded when the card comes near the viewport. Screen readers skip
 * the frame, because the card names the video.
 */
export function Preview({ url, posterUrl = null, failedText, message = null, children }: Props) {
  const [failedPoster, setFailedPoster] = useState<string | null>(null);
  const hasPoster = posterUrl !== null && posterUrl !== failedPoster;
  return (
    <div className={styles.preview}>
      {hasPoster && (
        <img
          className={styles.frame}
          src={posterUrl}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailedPoster(posterUrl)}
        />
      )}
      {!hasPoster && message === null && <VideoFrame key={url} url={url} failedText={failedText} />}
      {message !== null && (
        <span className={styles.message}>
          <span className={styles.reason}>{message}</span>
        </span>
      )}
      {children}
    </div>
  );
}

function VideoFrame({ url, failedText }: { url: string; failedText: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [outcome, setOutcome] = useState<'drawn' | 'failed' | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const listener = { onDrawn: () => setOutcome('drawn'), onFailed: () => setOutcome('failed') };
    return watchNearness(element, () => drawPreview(url, element, listener));
  }, [url]);
  if (outcome === 'failed') {
    return (
      <div className={styles.failed}>
        <ImageOff aria-hidden="true" />
        {failedText}
      </div>
    );
  }
  return <canvas ref={canvas} className={`${styles.frame} ${outcome === 'drawn' ? '' : styles.waiting}`} />;
}

/** Half a phone's height ahead, so that a frame is ready before its card is visible. */
const margin = '400px';

/**
 * Calls `start` once, when an element comes near the viewport. Returns a function that cancels it.
 */
function watchNearness(element: Element, start: () => () => void): () => void {
  let cancel = () => {};
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      cancel = start();
    },
    { rootMargin: margin },
  );
  observer.observe(element);
  return () => {
    observer.disconnect();
    cancel();
  };
}

/** A larger frame than the widest card shows would waste memory: a page has twelve cards. */
const maxWidthPx = 480;

interface PreviewListener {
  onDrawn: () => void;
  onFailed: () => void;
}

/**
 * Draws one frame of a video, 10 s into it, onto a canvas. Two load at a time, with the priority of
 * previews; decoder and connection are released once the frame is drawn. Returns a function that
 * cancels it.
 */
function drawPreview(url: string, canvas: HTMLCanvasElement, { onDrawn, onFailed }: PreviewListener): () => void {
  const video = createVideo();
  let cancelTimeout = () => {};
  const leased = new LeasedVideo({
    element: video,
    url,
    at: limits.previewAtSeconds,
    priority: 'preview',
    needs: ['decoder', 'connection'],
    onAttach: () => {
      cancelTimeout = after(limits.firstBytesTimeoutSeconds * 1000, () => finish(onFailed));
    },
    onDetach: () => cancelTimeout(),
  });
  const draw = () => {
    if (video.seeking || video.videoWidth === 0) return;
    finish(drawFrame(video, canvas) ? onDrawn : onFailed);
  };
  const fail = () => finish(onFailed);
  const stop = () => {
    cancelTimeout();
    video.removeEventListener('loadeddata', draw);
    video.removeEventListener('seeked', draw);
    video.removeEventListener('error', fail);
    leased.close();
    endTurn();
  };
  const finish = (report: () => void) => {
    stop();
    report();
  };
  video.addEventListener('loadeddata', draw);
  video.addEventListener('seeked', draw);
  video.addEventListener('error', fail);
  const endTurn = takeTurn(() => leased.open());
  return stop;
}

function drawFrame(video: HTMLVideoElement, canvas: HTMLCanvasElement): boolean {
  const scale = Math.min(1, maxWidthPx / video.videoWidth);
  canvas.width = Math.round(video.videoWidth * scale);
  canvas.height = Math.round(video.videoHeight * scale);
  const context = canvas.getContext('2d');
  context?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return context !== null;
}

const maxAtOnce = 2;

let running = 0;
const waiting: Array<() => void> = [];

/**
 * Calls `run` at once, or when a loading preview has ended. Returns a function that ends the turn,
 * or the wait for it; a second call does nothing.
 */
function takeTurn(run: () => void): () => void {
  let state: 'waiting' | 'running' | 'ended' = 'waiting';
  const start = () => {
    state = 'running';
    running += 1;
    run();
  };
  const end = () => {
    if (state === 'waiting') waiting.splice(waiting.indexOf(start), 1);
    if (state === 'running') running -= 1;
    state = 'ended';
    if (running < maxAtOnce) waiting.shift()?.();
  };
  if (running < maxAtOnce) start();
  else waiting.push(start);
  return end;
}
