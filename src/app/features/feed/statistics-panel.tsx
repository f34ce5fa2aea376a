import { useLayoutEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { smallWindows } from '#app/platform/later-capabilities.ts';
import { shownAtOnce } from '#app/playback/media-budget.ts';
import { offlineNotice } from '#app/state/connection.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { status } from '#app/state/status.ts';
import { QuadrantGlyph } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { quadrantNames } from '#app/ui/glyphs.tsx';
import { FewAtOnce } from '#app/ui/media/few-at-once.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { controls } from './controls/controls-store.ts';
import { switchSmallWindow } from './feed-keys.ts';
import { feed } from './feed-state.ts';
import { areAllPaused, setAllPaused } from './quadrant/quadrant-machine.ts';
import { RoundLines } from './rounds.tsx';
import styles from './statistics-panel.module.css';

/** Formats without `Intl.NumberFormat`, whose creation would block the first views for 20 ms. */
const countText = (count: number | undefined) => (count === undefined ? '–' : count.toLocaleString('en'));

/**
 * §2 Feed: the sizes of the library and of the four playlists. It moves away from controls that it
 * would cover.
 * @param isBehind whether something covers it, so that it has nothing to press
 */
export function StatisticsPanel({ isBehind }: { isBehind: boolean }) {
  const { active } = useSnapshot(controls);
  const panel = useRef<HTMLElement>(null);
  const [isLong, setLong] = useState(false);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    if (!panel.current) return;
    setLong(panel.current.getBoundingClientRect().bottom > window.innerHeight / 2);
    setCut(panel.current.scrollHeight > panel.current.clientHeight + 1);
  });
  const { counts } = useSnapshot(status);
  const { quadrants: states, expanded } = useSnapshot(feed);
  // An expanded quadrant has its name on the left.
  const isInTheWay = expanded === null && (active === 'top-right' || (active === 'bottom-right' && isLong));
  const { switchIntervalSeconds } = useSnapshot(siteConfig);
  const { lengths, average } = playlistLengths(states, counts?.availableVideos);
  const isAllPaused = areAllPaused(states);
  const { moving } = useSnapshot(shownAtOnce);
  return (
    <aside
      ref={panel}
      className={isInTheWay ? `${styles.panel} ${styles.aside}` : styles.panel}
      data-scrolls={isCut}
      data-offline={useSnapshot(offlineNotice).face}
      aria-label="Statistics"
    >
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
      <RoundLines of={quadrants} />
      <dl className={styles.rest}>
        <Fact name="Scanning" value={counts?.scanning ?? '–'} />
        <Fact name="Switch Interval" value={`${switchIntervalSeconds} s`} />
        {moving < quadrants.length && <Fact name="Playing" value={`${moving} of ${quadrants.length}`} />}
      </dl>
      {!isBehind && (
        <>
          <FewAtOnce className={styles.few} />
          <div className={styles.foot}>
            {smallWindows() && <Button label="Small window" kind="line" onPress={switchSmallWindow} />}
            <Button
              label={isAllPaused ? 'Play all' : 'Pause all'}
              kind="line"
              onPress={() => setAllPaused(!isAllPaused)}
            />
          </div>
        </>
      )}
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

type QuadrantStates = Readonly<Record<Quadrant, { readonly shown: { readonly matching: number } | null }>>;

interface PlaylistLengths {
  lengths: Record<Quadrant, number | undefined>;
  /** Rounded; undefined while no length is known. */
  average: number | undefined;
}

/**
 * How many videos each quadrant picks from: as its last pick reported, or else all available ones.
 */
function playlistLengths(states: QuadrantStates, available: number | undefined): PlaylistLengths {
  const lengths = byQuadrant((quadrant) => states[quadrant].shown?.matching ?? available);
  const known = quadrants.flatMap((quadrant) => lengths[quadrant] ?? []);
  const average =
    known.length === 0 ? undefined : Math.round(known.reduce((sum, length) => sum + length, 0) / known.length);
  return { lengths, average };
}
