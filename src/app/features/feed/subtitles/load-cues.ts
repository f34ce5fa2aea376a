import { NetworkError } from '#app/platform/http/http-error.ts';
import { readText } from '#app/platform/http/read-text.ts';
import { recovered } from '#app/platform/http/recovery.ts';
import type { Cue } from './cues.ts';
import { readCues } from './cues.ts';

/** Loads a track, also later when there is no network now. Returns what ends it. */
export function loadCues(url: string, hear: (cues: Cue[]) => void): () => void {
  let isEnded = false;
  let isWaiting = false;
  const load = async () => {
    isWaiting = false;
    try {
      const vtt = await readText({ method: 'GET', path: url });
      if (!isEnded) hear(readCues(vtt));
    } catch (error) {
      // A track that has just gone leaves the video without one.
      isWaiting = error instanceof NetworkError;
    }
  };
  const stop = recovered.listen(() => {
    if (isWaiting) void load();
  });
  void load();
  return () => {
    isEnded = true;
    stop();
  };
}
