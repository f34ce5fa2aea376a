import { after } from './timers.ts';

/**
 * Runs when the page has nothing else to do, or after 2 s. `requestIdleCallback`: Chromium 47, Firefox 55; elsewhere
 * after that time.
 */
export function whenIdle(run: () => void): void {
  const maxWaitMs = 2_000;
  if ('requestIdleCallback' in window) window.requestIdleCallback(run, { timeout: maxWaitMs });
  else after(maxWaitMs, run);
}
