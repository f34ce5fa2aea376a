import { PageStart } from './page-start.ts';

/*
 * The build puts this script into the page itself, before the engine's file has come. An address with a query opens
 * something else than the feed, and a page that nobody sees loads no video: both are left to the engine.
 */
if (location.search === '' && !document.hidden) window.pageStart = new PageStart();
