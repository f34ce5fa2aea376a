import { ImageOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';
import styles from './preview.module.css';
import { drawPreview } from './preview-frame.ts';
import { watchNearness } from './watch-nearness.ts';

interface Props {
  /** The address that streams the video. */
  url: string;
  /** The server's own still, which costs no decoder; without one, or where it fails, a frame of the video is drawn. */
  posterUrl?: string | null;
  /** What stands there when there is no frame: 'Click to tag'. */
  failedText: string;
  /** Why it cannot be played: said over the poster, and no frame is drawn. */
  message?: string | null;
  /** Over the frame: a badge, a play button. */
  children?: ReactNode;
}

/**
 * A frame of a video on its card, loaded when the card comes near the screen. The card names the video: screen readers
 * skip the frame.
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
