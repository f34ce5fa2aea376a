import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { quadrants } from '#contract/quadrants.ts';
import styles from './feed-screen.module.css';
import { feed, hasNothingToPlay } from './feed-state.ts';
import { startAll } from './feed-store.ts';
import { watchOverlays } from './overlay-store.ts';
import { QuadrantView } from './quadrant-view.tsx';
import { StartOverlay } from './start-overlay.tsx';

/** Four videos at once, edge to edge. */
export function FeedScreen() {
  const current = useSnapshot(feed);
  useEffect(watchOverlays, []);
  return (
    <main className={styles.feed}>
      <h1 className="visually-hidden">Feed</h1>
      {quadrants.map((quadrant) => (
        <QuadrantView key={quadrant} quadrant={quadrant} />
      ))}
      {!current.isStarted && !hasNothingToPlay(current) && <StartOverlay onStart={startAll} />}
    </main>
  );
}
