import { createSignal } from './signal.ts';

const changed = createSignal();
let isElsewhere = false;

/**
 * Whether the viewer sees the videos: the page is not hidden, or a window of their own shows them.
 */
export function isPageSeen(): boolean {
  return isElsewhere || !document.hidden;
}

/** Tells that another window shows the videos, or no longer. */
export function setSeenElsewhere(isSeen: boolean): void {
  isElsewhere = isSeen;
  changed.emit();
}

/** Returns a function that stops watching. */
export function watchPageSight(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  const stop = changed.listen(listener);
  return () => {
    document.removeEventListener('visibilitychange', listener);
    stop();
  };
}
