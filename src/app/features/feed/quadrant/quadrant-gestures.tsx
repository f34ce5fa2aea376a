import type { RefObject } from 'react';
import { memo } from 'react';
import { proxy } from 'valtio/vanilla';
import type { Gestures } from '#app/platform/input/gesture-reader.ts';
import { GestureListener } from '#app/platform/input/gestures.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { shake } from '#app/platform/later-capabilities.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { may, stepSeconds } from '#app/state/may.ts';
import { refuseClickOfPress } from '#app/ui/presses.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { controls, openQuadrantMenu, toggleControls } from '../controls/controls-store.ts';
import { collapse, expand, feed, toggleExpanded } from '../feed-state.ts';
import { seekBy } from './player-actions.ts';
import { skip, skipBack, undoLastSkip } from './quadrant-machine.ts';

/** The effects of touches and keys that a quadrant announces. */
interface QuadrantMarks {
  /** The side to which a finger moves that would skip there. */
  pulled: 'left' | 'right' | null;
  /** Seconds by which the taps so far seek; negative: back. Null: there are none. */
  seekSeconds: number | null;
  /** The last skip can be undone. */
  canUndo: boolean;
  /** The name of the channel that a key has just chosen. */
  channel: string | null;
}

export const quadrantMarks = proxy<Record<Quadrant, QuadrantMarks>>(
  byQuadrant(() => ({ pulled: null, seekSeconds: null, canUndo: false, channel: null })),
);

const undoMs = 4_000;
const cancelUndo = byQuadrant(() => ({ run: () => {} }));

/** Skips, and offers to undo it for a while; whoever uses keys has one to skip back. */
export function skipByPointer(quadrant: Quadrant): void {
  const { shown } = feed.quadrants[quadrant];
  skip(quadrant);
  if (!shown || !canSkip(quadrant) || ['key', 'remote'].includes(currentInput())) return;
  cancelUndo[quadrant].run();
  quadrantMarks[quadrant].canUndo = true;
  cancelUndo[quadrant].run = after(undoMs, () => {
    quadrantMarks[quadrant].canUndo = false;
  });
}

export function undoSkip(quadrant: Quadrant): void {
  cancelUndo[quadrant].run();
  quadrantMarks[quadrant].canUndo = false;
  undoLastSkip(quadrant);
}

function canSkip(quadrant: Quadrant): boolean {
  return may('video_controls') && feed.quadrants[quadrant].pinned === null;
}

function seekSteps(quadrant: Quadrant, direction: -1 | 1, count: number, isOver: boolean): void {
  const isKnown = playerFacts[quadrant].durationSeconds !== null;
  // The part that shows the seconds loads once the feed counts as active.
  controls.last ??= quadrant;
  quadrantMarks[quadrant].seekSeconds =
    isOver || !isKnown || !may('video_controls') ? null : direction * count * stepSeconds();
  if (!isOver) return;
  seekBy(quadrant, direction, count);
  shake();
}

/**
 * The touch gestures of a quadrant; a swipe to the left skips. Each gesture has a button as well.
 */
export const quadrantGestures = byQuadrant(
  (quadrant): Gestures => ({
    onTap: () => toggleControls(quadrant),
    onLongPress: () => {
      refuseClickOfPress();
      shake();
      openQuadrantMenu(quadrant);
    },
    onDoubleTap: () => toggleExpanded(quadrant),
    onSteps: (...steps) => seekSteps(quadrant, ...steps),
    onPull: (direction) => {
      controls.last ??= quadrant;
      quadrantMarks[quadrant].pulled = canSkip(quadrant) ? direction : null;
    },
    onSwipe: (direction) => {
      if (direction === 'left') skipByPointer(quadrant);
      if (direction === 'right') skipBack(quadrant);
    },
    onPinch: (direction) => {
      if (direction === 'out') expand(quadrant);
      else collapse();
    },
  }),
);

interface Props {
  target: RefObject<HTMLElement | null>;
  quadrant: Quadrant;
}

/** Renders nothing; handles the touch gestures on the video of a quadrant. */
export const QuadrantGestures = memo(function QuadrantGestures({ target, quadrant }: Props) {
  return <GestureListener target={target} gestures={quadrantGestures[quadrant]} />;
});
