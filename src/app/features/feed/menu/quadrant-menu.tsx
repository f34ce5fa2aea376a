import type { KeyboardEvent } from 'react';
import { Suspense, useEffect, useId, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { holdFocus } from '#app/platform/focus/focus-scopes.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
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
import { MenuVolume } from './menu-volume.tsx';
import styles from './quadrant-menu.module.css';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';

const HideDialog = lazyPart(async () => (await import('./hide-dialog.tsx')).HideDialog, DialogNotLoaded);

/** Over its quadrant; on a phone from below. What is chosen closes it, and so does a press beside it. */
export function QuadrantMenu({ quadrant }: { quadrant: Quadrant }) {
  const [hiding, setHiding] = useState<FeedVideo | null>(null);
  if (!hiding) return <Entries quadrant={quadrant} onHide={setHiding} />;
  return (
    <Suspense fallback={null}>
      <HideDialog video={hiding} />
    </Suspense>
  );
}

function Entries({ quadrant, onHide }: { quadrant: Quadrant; onHide: (video: FeedVideo) => void }) {
  const snapshot = useSnapshot(feed);
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => (panel.current ? holdFocus(panel.current) : undefined), []);
  const others = quadrants.filter((other) => other !== quadrant);
  const isAllPaused = areAllPaused(snapshot.quadrants);
  const { shown } = snapshot.quadrants[quadrant];
  const mayHide = may('admin_panel', useSnapshot(session));

  return (
    <>
      <div
        className={styles.outside}
        onClick={closeQuadrantMenu}
        onContextMenu={(event) => event.preventDefault()}
        aria-hidden="true"
      />
      <div
        ref={panel}
        className={styles.menu}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        data-of={quadrant}
        data-arrows
        data-focus-wrap
        onKeyDown={stayInside}
      >
        <h2 id={titleId} className={styles.title}>
          <QuadrantGlyph quadrant={quadrant} className={styles.glyph} />
          {quadrantNames[quadrant]}
        </h2>
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
        {mayHide && shown && <Entry label="Hide video" staysOpen onPress={() => onHide(shown)} />}
        <Entry label={isAllPaused ? 'Play all' : 'Pause all'} onPress={() => setAllPaused(!isAllPaused)} />
        <Entry label="Shortcuts" className={styles.keys} onPress={() => openDialog('shortcuts')} />
      </div>
    </>
  );
}

interface EntryProps {
  label: string;
  glyph?: Quadrant;
  className?: string | undefined;
  /** What it opens takes the menu's place. */
  staysOpen?: boolean;
  onPress: () => void;
}

function Entry({ label, glyph, className, staysOpen = false, onPress }: EntryProps) {
  const choose = () => {
    if (!staysOpen) closeQuadrantMenu();
    onPress();
  };
  return (
    <button type="button" className={`${styles.entry} ${className ?? ''}`} onClick={choose}>
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

/** Left and right lead nowhere in a column, but for a slider; the key that opened the menu closes it. */
function stayInside(event: KeyboardEvent): void {
  const key = remoteKeyOf(event.nativeEvent);
  if (key === 'menu') closeQuadrantMenu();
  const isAside = (key === 'left' || key === 'right') && !(event.target instanceof HTMLInputElement);
  if (key === 'menu' || isAside) event.preventDefault();
}
