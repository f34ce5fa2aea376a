import type { RefObject } from 'react';
import { useEffect, useState } from 'react';

export interface VideoFacts {
  isPaused: boolean;
  isMuted: boolean;
  /** 0 to 1. */
  volume: number;
  /** It waits for data, or for its decoder. */
  isWaiting: boolean;
  hasFailed: boolean;
  hasEnded: boolean;
}

const events = [
  'play',
  'playing',
  'pause',
  'waiting',
  'loadeddata',
  'volumechange',
  'error',
  'ended',
  'emptied',
  'loadstart',
] as const;

const unknown: VideoFacts = {
  isPaused: true,
  isMuted: false,
  volume: 1,
  isWaiting: true,
  hasFailed: false,
  hasEnded: false,
};

/** What a video element reports, as far as controls show it. Its time is written past React (`PlayerTimeline`). */
export function useVideoFacts(video: RefObject<HTMLVideoElement | null>): VideoFacts {
  const [facts, setFacts] = useState(unknown);
  useEffect(() => {
    const element = video.current;
    if (!element) return;
    const read = () => setFacts(readFacts(element));
    for (const event of events) element.addEventListener(event, read);
    read();
    return () => {
      for (const event of events) element.removeEventListener(event, read);
    };
  }, [video]);
  return facts;
}

function readFacts(video: HTMLVideoElement): VideoFacts {
  return {
    isPaused: video.paused,
    isMuted: video.muted,
    volume: video.volume,
    isWaiting:
      video.readyState < (video.paused ? HTMLMediaElement.HAVE_CURRENT_DATA : HTMLMediaElement.HAVE_FUTURE_DATA),
    hasFailed: video.error != null,
    hasEnded: video.ended,
  };
}
