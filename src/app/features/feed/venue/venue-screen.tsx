import type { ReactNode } from 'react';
import { Component, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { playerFacts } from '#app/playback/player/player.ts';
import { useDerived } from '#app/ui/store-hooks.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from '../feed-state.ts';
import { attachPlayer, watchHidden } from '../feed-store.ts';
import { overlays, watchOverlays } from '../quadrant/overlays.ts';
import quadrantStyles from '../quadrant/quadrant-view.module.css';
import { readStills } from './venue-grid.ts';
import { VenueLock } from './venue-lock.tsx';
import { reloadWhenAllowed, runVenue, venueView } from './venue-run.ts';
import styles from './venue-screen.module.css';

/** The four videos of a venue and nothing else: no names, no controls, no messages. */
export default function VenueScreen() {
  return (
    <VenueBoundary>
      <VenueVideos />
    </VenueBoundary>
  );
}

/** Stays black after a rendering error, where nobody could press Reload. */
class VenueBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(): void {
    reloadWhenAllowed();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <main className={styles.venue} /> : this.props.children;
  }
}

function VenueVideos() {
  const { isClosed, round, shift } = useSnapshot(venueView);
  const isExpanded = useDerived(feed, () => feed.expanded !== null);
  const [stills] = useState(readStills);
  useEffect(runVenue, []);
  useEffect(watchOverlays, []);
  useEffect(watchHidden, []);
  return (
    <>
      <main className={styles.venue} data-venue={isClosed ? 'closed' : 'open'}>
        <h1 className="visually-hidden">Venue mode</h1>
        {!isClosed && (
          <div
            key={round}
            className={styles.grid}
            data-expanded={isExpanded}
            style={{ transform: `translate(${shift.x}px, ${shift.y}px)` }}
          >
            {quadrants.map((quadrant) => (
              <VenueQuadrant key={quadrant} quadrant={quadrant} still={stills[quadrant]} />
            ))}
          </div>
        )}
      </main>
      <VenueLock />
    </>
  );
}

/**
 * One video. Until its first frame its poster stands there, else the last still of an earlier one.
 */
function VenueQuadrant({ quadrant, still }: { quadrant: Quadrant; still: string | undefined }) {
  const host = useRef<HTMLDivElement>(null);
  const isExpanded = useDerived(feed, () => feed.expanded === quadrant);
  const hasFrame = useDerived(playerFacts[quadrant], () => playerFacts[quadrant].hasFrame);
  const { poster } = useSnapshot(overlays[quadrant]);
  useLayoutEffect(() => void (host.current && attachPlayer(quadrant, host.current)), [quadrant]);
  const picture = poster ?? (hasFrame ? undefined : still);
  return (
    <div className={quadrantStyles.quadrant} data-quadrant={quadrant} data-expanded={isExpanded}>
      {picture && <img className={quadrantStyles.poster} src={picture} alt="" />}
      <div ref={host} className={quadrantStyles.video} />
    </div>
  );
}
