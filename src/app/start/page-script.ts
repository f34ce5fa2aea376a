import { after } from '#device/timers.ts';
import { fetchPageFiles } from './page-parts.ts';
import { PageStart } from './page-start.ts';

/**
 * Laying out the first text takes processor time from decoding the first frames: when the frames
 * come first, no text is shown.
 */
const wordsAfterMs = 600;

/*
 * The build inlines this script into the page, where it runs before the engine's file has loaded.
 * An address with a query opens something other than the feed, and a hidden page loads no video:
 * both are left to the engine.
 */
if (location.search === '' && !document.hidden) window.pageStart = new PageStart();
else fetchPageFiles('engine-files');

// The browser would show its own offer in the middle of the first videos.
window.addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  Object.assign(window, { installPrompt: event });
});

after(wordsAfterMs, () => {
  const words = document.getElementById('start-text');
  if (words) words.textContent = 'Loading...';
});
