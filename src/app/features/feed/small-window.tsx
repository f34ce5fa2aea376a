import { useEffect } from 'react';
import { smallWindows } from '#app/platform/later-capabilities.ts';
import { setSeenElsewhere } from '#app/platform/page-sight.ts';
import { playerOf } from '#app/playback/player/player.ts';
import { Button } from '#app/ui/button.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { quadrants } from '#contract/quadrants.ts';
import feedStyles from './feed-screen.module.css';
import { feed } from './feed-state.ts';
import { togglePaused } from './quadrant/quadrant-machine.ts';
import quadrantStyles from './quadrant/quadrant-view.module.css';
import styles from './small-window.module.css';

/** Pixels of its content at first; the browser may choose others. */
const firstSize = { width: 640, height: 360 };

let view: Window | null = null;
let isOpening = false;

/**
 * Stands in the middle of the grid while its videos are in their own window. Another view ends
 * that.
 */
export function SmallWindowNotice() {
  useEffect(() => closeSmallWindow, []);
  return (
    <div className={styles.notice}>
      <p>Playing in a small window</p>
      <Button label="Bring back" onPress={closeSmallWindow} />
    </div>
  );
}

/**
 * Shows the four videos in a window that stays above all others, or brings them back. To be called
 * inside a press.
 * @param onKey handles the keys of that window
 */
export async function toggleSmallWindow(onKey: (event: KeyboardEvent) => void): Promise<void> {
  const windows = smallWindows();
  if (view) return closeSmallWindow();
  if (!windows || isOpening || !feed.isOpen) return;
  isOpening = true;
  // When the browser refuses, the videos stay where they are, and the button can be pressed again.
  const opened = await windows.requestWindow(firstSize).catch(() => null);
  isOpening = false;
  // The viewer may have left the feed meanwhile.
  if (opened && feed.isOpen) show(opened, onKey);
  else opened?.close();
}

/** Closes the window, if there is one: the videos go on in the page, at their second. */
export function closeSmallWindow(): void {
  view?.close();
}

function show(opened: Window, onKey: (event: KeyboardEvent) => void): void {
  const { document: page } = opened;
  view = opened;
  page.documentElement.lang = document.documentElement.lang;
  Object.assign(page.documentElement.dataset, document.documentElement.dataset);
  page.title = document.title;
  copyStyles(page);
  page.addEventListener('keydown', onKey);
  opened.addEventListener('pagehide', end, { once: true });
  setSeenElsewhere(true);
  feed.isInSmallWindow = true;
  const grid = page.body.appendChild(page.createElement('main'));
  grid.className = feedStyles.feed ?? '';
  for (const quadrant of quadrants) {
    const cell = grid.appendChild(page.createElement('button'));
    cell.type = 'button';
    cell.className = styles.cell ?? '';
    cell.ariaLabel = `Play or pause: ${quadrantNames[quadrant]}`;
    cell.addEventListener('click', () => togglePaused(quadrant));
    const host = cell.appendChild(page.createElement('div'));
    host.className = quadrantStyles.video ?? '';
    playerOf(quadrant).attachTo(host);
  }
}

/** The quadrants take their players back when they hear of it. */
function end(): void {
  view = null;
  feed.isInSmallWindow = false;
  setSeenElsewhere(false);
}

function copyStyles(page: Document): void {
  for (const sheet of document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')) {
    const copy = page.importNode(sheet);
    // The other document has no address of its own.
    copy.href = sheet.href;
    page.head.append(copy);
  }
}
