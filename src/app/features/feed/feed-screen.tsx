import { Suspense, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { watchKeysLater } from '#app/platform/input/late-keys.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { afterFirstFrames, playerFacts } from '#app/playback/player/player.ts';
import { navigation } from '#app/state/navigation.ts';
import { settings } from '#app/state/settings.ts';
import { Logo } from '#app/ui/glyphs.tsx';
import { lazyPart } from '#app/ui/loading.tsx';
import { useDerived } from '#app/ui/store-hooks.ts';
import { quadrants } from '#contract/quadrants.ts';
import { startFailures } from '#contract/start.ts';
import {
  closeQuadrantMenu,
  controls,
  drawControls,
  hideControls,
  quadrantMenu,
  sectionOf,
} from './controls/controls-store.ts';
import styles from './feed-screen.module.css';
import { feed, hasNothingToPlay } from './feed-state.ts';
import { startAll, watchHidden } from './feed-store.ts';
import { isLowPower, watchOverlays } from './quadrant/overlays.ts';
import { QuadrantView } from './quadrant/quadrant-view.tsx';

const QuadrantMenu = lazyPart(async () => (await import('./controls/quadrant-menu.tsx')).QuadrantMenu, MenuNotLoaded);
const FilterPanel = lazyPart(async () => (await import('./filter/filter-panel.tsx')).FilterPanel, MenuNotLoaded);
const StatisticsPanel = lazyPart(async () => (await import('./statistics-panel.tsx')).StatisticsPanel, Nothing);
const RemoteLegend = lazyPart(async () => (await import('./controls/on-demand.tsx')).RemoteLegend, Nothing);
const SmallWindowNotice = lazyPart(async () => (await import('./small-window.tsx')).SmallWindowNotice, Nothing);

/** The controls are rendered after this time even if a first frame is missing. */
const controlsDueAfterMs = 4_000;

/** The feed: four videos in a 2×2 grid, edge to edge. */
export function FeedScreen() {
  const isActive = useDerived(controls, () => controls.active !== null);
  const isAmongControls = useDerived(controls, () => controls.entered !== null);
  const isExpanded = useDerived(feed, () => feed.expanded !== null);
  const isInSmallWindow = useDerived(feed, () => feed.isInSmallWindow);
  const isEmpty = useDerived(feed, () => hasNothingToPlay(feed));
  const isTapAwaited = useDerived(feed, () => !feed.isStarted) && !isEmpty;
  const isPowerSaved = useDerived(playerFacts, isLowPower);
  const { areStatisticsShown } = useSnapshot(settings);
  useEffect(() => afterFirstFrames(controlsDueAfterMs, drawControls), []);
  useEffect(watchOverlays, []);
  useEffect(watchKeys, []);
  const isStatusDue = useDerived(controls, () => controls.areDue) || isEmpty;
  useEffect(() => (isStatusDue ? watchStatus() : undefined), [isStatusDue]);
  useEffect(watchHidden, []);
  const isTapShown = isTapAwaited || isPowerSaved;
  useEffect(() => (isTapShown ? focusFeed : undefined), [isTapShown]);
  const { of, shows } = useSnapshot(quadrantMenu);
  const Panel = shows === 'filter' ? FilterPanel : QuadrantMenu;
  const { isMenuOpen } = useSnapshot(navigation);
  useEffect(() => void (isMenuOpen && hideControls()), [isMenuOpen]);
  useEffect(() => hideControls, []);
  useEffect(() => closeQuadrantMenu, []);
  return (
    <main className={styles.feed} data-active={isActive} data-expanded={isExpanded} data-arrows>
      <h1 className="visually-hidden">Feed</h1>
      <Suspense fallback={null}>{of !== null && <Panel key={of} quadrant={of} />}</Suspense>
      {quadrants.map((quadrant) => (
        <QuadrantView key={quadrant} quadrant={quadrant} />
      ))}
      <Suspense fallback={null}>{isActive && !isAmongControls && <RemoteLegend />}</Suspense>
      <Suspense fallback={null}>{areStatisticsShown && <StatisticsPanel isBehind={isTapShown} />}</Suspense>
      <Suspense fallback={null}>{isInSmallWindow && <SmallWindowNotice />}</Suspense>
      {isTapShown && (
        <StartOverlay
          words={isTapAwaited ? 'Tap anywhere to play all videos' : startFailures.lowPower}
          onStart={startAll}
        />
      )}
    </main>
  );
}

/** If the file does not load, the counts of the library are unknown until the feed is next opened. */
function watchStatus(): () => void {
  const loaded = loadWithinLimit(() => import('#app/state/status.ts'));
  const polling = loaded.then(({ pollStatus }) => pollStatus()).catch(() => () => {});
  return () => void polling.then((stop) => stop());
}

function watchKeys(): () => void {
  return watchKeysLater(loadKeys, (start) => afterFirstFrames(controlsDueAfterMs, start));
}

async function loadKeys() {
  const { watchFeedKeys, handleFeedKey } = await loadWithinLimit(() => import('./feed-keys.ts'));
  return { watch: watchFeedKeys, handle: handleFeedKey };
}

/**
 * Arrows go on from the quadrant that had the focus last, once the button over all four is gone.
 */
function focusFeed(): void {
  const isByKeys = ['key', 'remote'].includes(currentInput());
  if (isByKeys && document.activeElement === document.body) sectionOf(controls.last ?? 'top-left')?.focus();
}

/** Closes the menu when its file could not be loaded. */
function MenuNotLoaded() {
  useEffect(closeQuadrantMenu, []);
  return null;
}

/** The feed goes on without a part whose file could not be loaded. */
function Nothing() {
  return null;
}

/**
 * A button that covers the screen until a tap. It has the focus, so that Enter, Space or OK start
 * as well.
 */
function StartOverlay({ words, onStart }: { words: string; onStart: () => void }) {
  return (
    // biome-ignore lint/a11y/noAutofocus: the only control on this screen
    <button type="button" className={styles.overlay} onClick={onStart} autoFocus>
      <span className={styles.logo} aria-hidden="true">
        <Logo />
      </span>
      <span className={styles.words}>{words}</span>
    </button>
  );
}
