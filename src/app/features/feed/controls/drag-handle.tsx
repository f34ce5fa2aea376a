import { Grip } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { useHandle } from '#app/platform/input/gestures.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { openQuadrantMenu } from '../menu/quadrant-menu-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { canMove } from '../quadrant/move.ts';
import { ControlButton } from './control-button.tsx';
import { cancelDrag, dragTo, endDrag, startDrag } from './drag.ts';
import styles from './drag-handle.module.css';

/** Drags a video to another quadrant, whose own comes here. Pressed, it opens the menu that does the same. */
export function DragHandle({ quadrant }: { quadrant: Quadrant }) {
  const snapshot = useSnapshot(feed);
  const isOff = !canMove(snapshot);
  const button = useRef<HTMLButtonElement>(null);
  const drags = useMemo(
    () => ({ onStart: () => startDrag(quadrant), onMove: dragTo, onDrop: endDrag, onCancel: cancelDrag }),
    [quadrant],
  );
  useHandle(button, drags);
  useEffect(() => (isOff ? undefined : cancelDrag), [isOff]);
  if (snapshot.expanded !== null) return null;
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
