import { Suspense, useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { may } from '#app/state/may.ts';
import { openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { lazyPart } from '#app/ui/loading/lazy-part.tsx';
import { QuadrantGlyph } from '#app/ui/quadrant/quadrant-glyph.tsx';
import { quadrantNames } from '#app/ui/quadrant/quadrant-names.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { expand } from '../quadrant/expansion.ts';
import { feed } from '../quadrant/feed-state.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { canMove, move } from '../quadrant/move.ts';
import { areAllPaused, setAllPaused } from '../quadrant/quadrant-actions.ts';
import { MenuPanel } from './menu-panel.tsx';
import { MenuVolume } from './menu-volume.tsx';
import styles from './quadrant-menu.module.css';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';
import { SubtitleMenu } from './subtitle-menu.tsx';

const HideDialog = lazyPart(async () => (await import('./hide-dialog.tsx')).HideDialog, DialogNotLoaded);

type Shown =
  | { is: 'entries'; cameFrom?: 'subtitles' }
  /** They take the place of the entries. */
  | { is: 'hiding' | 'subtitles'; video: FeedVideo };

/** What is chosen closes it, and so does a press beside it. */
export function QuadrantMenu({ quadrant }: { quadrant: Quadrant }) {
  const [shown, show] = useState<Shown>({ is: 'entries' });
  if (shown.is === 'entries') return <Entries quadrant={quadrant} cameFrom={shown.cameFrom} show={show} />;
  const { is, video } = shown;
  if (is === 'subtitles')
    return (
      <SubtitleMenu quadrant={quadrant} video={video} onBack={() => show({ is: 'entries', cameFrom: 'subtitles' })} />
    );
  return (
    <Suspense fallback={null}>
      <HideDialog video={video} />
    </Suspense>
  );
}

interface EntriesProps {
  quadrant: Quadrant;
  /** Where the focus goes back to. */
  cameFrom: 'subtitles' | undefined;
  show: (shown: Shown) => void;
}

function Entries({ quadrant, cameFrom, show }: EntriesProps) {
  const snapshot = useSnapshot(feed);
  const others = quadrants.filter((other) => other !== quadrant);
  const isAllPaused = areAllPaused(snapshot.quadrants);
  const { shown: video } = snapshot.quadrants[quadrant];
  const mayHide = may('admin_panel', useSnapshot(session));

  return (
    <MenuPanel quadrant={quadrant} title={quadrantNames[quadrant]}>
      {canMove(snapshot) &&
        others.map((other) => (
          <Entry
            key={other}
            label={`Move to ${quadrantNames[other].toLowerCase()}`}
            glyph={other}
            onPress={() => move(quadrant, other)}
          />
        ))}
      {snapshot.expanded === null && (
        <Entry label="Expand" className={styles.expand} onPress={() => expand(quadrant)} />
      )}
      <MenuVolume quadrant={quadrant} />
      {video && (
        <Entry
          label="Subtitles"
          staysOpen
          isFirst={cameFrom === 'subtitles'}
          onPress={() => show({ is: 'subtitles', video })}
        />
      )}
      {mayHide && video && <Entry label="Hide video" staysOpen onPress={() => show({ is: 'hiding', video })} />}
      <Entry label={isAllPaused ? 'Play all' : 'Pause all'} onPress={() => setAllPaused(!isAllPaused)} />
      <Entry label="Shortcuts" className={styles.keys} onPress={() => openDialog('shortcuts')} />
    </MenuPanel>
  );
}

interface EntryProps {
  label: string;
  glyph?: Quadrant;
  className?: string | undefined;
  /** What it opens takes the menu's place. */
  staysOpen?: boolean;
  /** The focus starts here. */
  isFirst?: boolean;
  onPress: () => void;
}

function Entry({ label, glyph, className, staysOpen = false, isFirst = false, onPress }: EntryProps) {
  const choose = () => {
    if (!staysOpen) closeQuadrantMenu();
    onPress();
  };
  return (
    <button
      type="button"
      className={`${styles.entry} ${className ?? ''}`}
      data-focus-first={isFirst || undefined}
      onClick={choose}
    >
      <span className={styles.mark}>{glyph && <QuadrantGlyph quadrant={glyph} />}</span>
      {label}
    </button>
  );
}

/** The dialog's file could not be loaded: nothing could stay open. */
function DialogNotLoaded() {
  useEffect(closeQuadrantMenu, []);
  return null;
}
