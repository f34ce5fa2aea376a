import { useSnapshot } from 'valtio';
import { siteConfig } from '#app/state/site-config.ts';
import { status } from '#app/state/status.ts';
import { Button } from '#app/ui/button.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import { quadrants } from '#contract/quadrants.ts';
import { controls } from '../controls/controls-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { areAllPaused, setAllPaused } from '../quadrant/quadrant-actions.ts';
import { playlistLengths } from './playlist-length.ts';
import styles from './statistics-panel.module.css';

/** A formatter of one's own would be made with the first views, which takes their thread for 20 ms. */
const countText = (count: number | undefined) => (count === undefined ? '–' : count.toLocaleString('en'));

/** §2 Feed: what the library and the four playlists hold. It gives way to controls that it would cover. */
export function StatisticsPanel() {
  const isInTheWay = useSnapshot(controls).active === 'top-right';
  const { counts } = useSnapshot(status);
  const { quadrants: states } = useSnapshot(feed);
  const { switchIntervalSeconds } = useSnapshot(siteConfig);
  const { lengths, average } = playlistLengths(states, counts?.availableVideos);
  const isAllPaused = areAllPaused(states);
  return (
    <aside className={isInTheWay ? `${styles.panel} ${styles.aside}` : styles.panel} aria-label="Statistics">
      <dl className={styles.counts}>
        <Fact name="Total Videos" value={countText(counts?.totalVideos)} />
        <Fact name="Available" value={countText(counts?.availableVideos)} />
        <Fact name="Playlist Size" value={countText(average)} />
      </dl>
      <h2 className={styles.title}>Quadrant Details</h2>
      <ul>
        {quadrants.map((quadrant) => (
          <li key={quadrant} className={styles.quadrant}>
            <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
            <span>{quadrantNames[quadrant]}</span>
            <b className={styles.length}>{countText(lengths[quadrant])}</b>
          </li>
        ))}
      </ul>
      <dl className={styles.rest}>
        <Fact name="Scanning" value={counts?.scanning ?? '–'} />
        <Fact name="Switch Interval" value={`${switchIntervalSeconds} s`} />
      </dl>
      <div className={styles.foot}>
        <Button label={isAllPaused ? 'Play all' : 'Pause all'} kind="line" onPress={() => setAllPaused(!isAllPaused)} />
      </div>
    </aside>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
