import type { KeyboardEvent } from 'react';
import { useEffect, useId, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { holdFocus } from '#app/platform/focus/focus-scopes.ts';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { openDialog } from '#app/state/navigation.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { expand } from '../quadrant/expansion.ts';
import { feed } from '../quadrant/feed-state.ts';
import { canMove, move } from '../quadrant/move.ts';
import { areAllPaused, setAllPaused } from '../quadrant/quadrant-actions.ts';
import { QuadrantGlyph } from '../view/quadrant-glyph.tsx';
import { quadrantNames } from '../view/quadrant-names.ts';
import { MenuVolume } from './menu-volume.tsx';
import styles from './quadrant-menu.module.css';
import { closeQuadrantMenu } from './quadrant-menu-store.ts';

/** Over its quadrant; on a phone from below. What is chosen closes it, and so does a press beside it. */
export function QuadrantMenu({ quadrant }: { quadrant: Quadrant }) {
  const snapshot = useSnapshot(feed);
  const panel = useRef<HTMLDivElement>(null);
  const titleId = useId();
  useEffect(() => (panel.current ? holdFocus(panel.current) : undefined), []);
  const others = quadrants.filter((other) => other !== quadrant);
  const isAllPaused = areAllPaused(snapshot.quadrants);

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
  onPress: () => void;
}

function Entry({ label, glyph, className, onPress }: EntryProps) {
  const choose = () => {
    closeQuadrantMenu();
    onPress();
  };
  return (
    <button type="button" className={`${styles.entry} ${className ?? ''}`} onClick={choose}>
      <span className={styles.mark}>{glyph && <QuadrantGlyph quadrant={glyph} />}</span>
      {label}
    </button>
  );
}

/** Left and right lead nowhere in a column, but for a slider; the key that opened the menu closes it. */
function stayInside(event: KeyboardEvent): void {
  const key = remoteKeyOf(event.nativeEvent);
  if (key === 'menu') closeQuadrantMenu();
  const isAside = (key === 'left' || key === 'right') && !(event.target instanceof HTMLInputElement);
  if (key === 'menu' || isAside) event.preventDefault();
}
