import { after } from '../platform/timers.ts';
import { fetchPageFiles } from './page-parts.ts';
import { PageStart } from './page-start.ts';

/** To lay out the first words takes longer than to decode a first frame: where frames come at once, no word is drawn. */
const wordsAfterMs = 200;

/*
 * The build puts this script into the page itself, before the engine's file has come. An address with a query opens
 * something else than the feed, and a page that nobody sees loads no video: both are left to the engine.
 */
if (location.search === '' && !document.hidden) window.pageStart = new PageStart();
else fetchPageFiles('engine-files');

after(wordsAfterMs, () => {
  const words = document.getElementById('start-text');
  if (words) words.textContent = 'Loading...';
});
