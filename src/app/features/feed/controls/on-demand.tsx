import { Grip, Move, Undo2 } from 'lucide-react';
import { memo, useEffect, useMemo, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { useHandle } from '#app/platform/input/gestures.ts';
import { useDerived } from '#app/ui/store-hooks.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from '../feed-state.ts';
import { FilterBar } from '../filter/filter-bar.tsx';
import { cancelDrag, canMove, dragTo, endDrag, startDrag } from '../quadrant/move.ts';
import { quadrantMarks, undoSkip } from '../quadrant/quadrant-gestures.tsx';
import { ControlButton } from './control-button.tsx';
import { openQuadrantMenu } from './controls-store.ts';
import styles from './on-demand.module.css';

/**
 * The filter and the drag handle of a quadrant. They load at the first activity, so that no first
 * frame waits for them.
 */
export const OnDemand = memo(function OnDemand({ quadrant }: { quadrant: Quadrant }) {
  return (
    <>
      <FilterBar quadrant={quadrant} />
      <DragHandle quadrant={quadrant} />
      <Touched quadrant={quadrant} />
    </>
  );
});

/**
 * Tells what a touch is about to do here and which channel a key has chosen; after a skip it offers
 * the way back.
 */
function Touched({ quadrant }: { quadrant: Quadrant }) {
  const { pulled, seekSeconds, canUndo, channel } = useSnapshot(quadrantMarks[quadrant]);
  const isLeft = pulled === 'right' || (seekSeconds ?? 0) < 0;
  return (
    <>
      {(pulled !== null || seekSeconds !== null) && (
        <p className={`${styles.touched} ${isLeft ? styles.left : styles.right}`} role="status">
          {pulled === null ? stepText(seekSeconds ?? 0) : pulled === 'left' ? 'Skip' : 'Skip back'}
        </p>
      )}
      {channel !== null && (
        <p className={styles.channel} role="status">
          <bdi>{channel}</bdi>
        </p>
      )}
      {canUndo && (
        <button type="button" className={styles.undo} onClick={() => undoSkip(quadrant)}>
          <Undo2 />
          Undo
        </button>
      )}
    </>
  );
}

/** For example '+2 min', '−10 s', '+1 min 30 s'. */
function stepText(seconds: number): string {
  const [minutes, rest] = [Math.floor(Math.abs(seconds) / 60), Math.abs(seconds) % 60];
  const parts = [...(minutes > 0 ? [`${minutes} min`] : []), ...(rest > 0 ? [`${rest} s`] : [])];
  return `${seconds < 0 ? '−' : '+'}${parts.join(' ')}`;
}

/**
 * Drags a video to another quadrant, and swaps it with that quadrant's video. A press opens the
 * menu, which has the same actions.
 */
function DragHandle({ quadrant }: { quadrant: Quadrant }) {
  const isOff = useDerived(feed, () => !canMove(feed));
  const isExpanded = useDerived(feed, () => feed.expanded !== null);
  const button = useRef<HTMLButtonElement>(null);
  const drags = useMemo(
    () => ({ onStart: () => startDrag(quadrant), onMove: dragTo, onDrop: endDrag, onCancel: cancelDrag }),
    [quadrant],
  );
  useHandle(button, drags);
  useEffect(() => (isOff ? undefined : cancelDrag), [isOff]);
  if (isExpanded) return null;
  return (
    <ControlButton
      ref={button}
      label="Move to..."
      icon={<Grip />}
      isOff={isOff}
      className={styles.handle}
      onPress={() => openQuadrantMenu(quadrant)}
    />
  );
}

/** The legend of a remote's keys above the grid, while the focus ring moves between quadrants. */
export function RemoteLegend() {
  return (
    <div className={styles.legend} aria-hidden="true">
      <span className={styles.item}>
        <b className={styles.key}>OK</b>
        Controls
      </span>
      <span className={styles.item}>
        <b className={styles.key}>
          <Move />
        </b>
        Choose a quadrant
      </span>
      <span className={styles.item}>
        {quadrants.map((quadrant) => (
          <i key={quadrant} className={`${styles.colour} ${colours[quadrant]}`} />
        ))}
        Jump
      </span>
    </div>
  );
}

const colours: Record<Quadrant, string | undefined> = {
  'top-left': styles.red,
  'top-right': styles.green,
  'bottom-left': styles.yellow,
  'bottom-right': styles.blue,
};
