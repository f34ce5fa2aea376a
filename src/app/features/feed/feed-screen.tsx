import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { navigation } from '#app/state/navigation.ts';
import { settings } from '#app/state/settings.ts';
import { followStatus } from '#app/state/status.ts';
import { quadrants } from '#contract/quadrants.ts';
import { controls, giveWay } from './controls-store.ts';
import { followKeys } from './feed-keys.ts';
import styles from './feed-screen.module.css';
import { feed, hasNothingToPlay } from './feed-state.ts';
import { startAll } from './feed-store.ts';
import { watchOverlays } from './overlay-store.ts';
import { QuadrantView } from './quadrant-view.tsx';
import { RemoteLegend } from './remote-legend.tsx';
import { followSound } from './sound-session.ts';
import { StartOverlay } from './start-overlay.tsx';
import { StatisticsPanel } from './statistics-panel.tsx';

/** Four videos at once, edge to edge. */
export function FeedScreen() {
  const current = useSnapshot(feed);
  const { awake, entered } = useSnapshot(controls);
  const { areStatisticsShown } = useSnapshot(settings);
  useEffect(watchOverlays, []);
  useEffect(followKeys, []);
  useEffect(followStatus, []);
  useEffect(followSound, []);
  const { isMenuOpen } = useSnapshot(navigation);
  useEffect(() => void (isMenuOpen && giveWay()), [isMenuOpen]);
  useEffect(() => giveWay, []);
  return (
    <main className={styles.feed} data-awake={awake !== null} data-expanded={current.expanded !== null} data-arrows>
      <h1 className="visually-hidden">Feed</h1>
      {quadrants.map((quadrant) => (
        <QuadrantView key={quadrant} quadrant={quadrant} />
      ))}
      {awake !== null && entered === null && <RemoteLegend />}
      {areStatisticsShown && <StatisticsPanel />}
      {!current.isStarted && !hasNothingToPlay(current) && <StartOverlay onStart={startAll} />}
    </main>
  );
}
