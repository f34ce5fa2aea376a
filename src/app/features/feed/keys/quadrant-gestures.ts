import type { Gestures } from '#app/platform/input/gesture-reader.ts';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { toggleControls } from '../controls/controls-store.ts';
import { openQuadrantMenu } from '../menu/quadrant-menu-store.ts';
import { collapse, expand, toggleExpanded } from '../quadrant/expansion.ts';
import { skip, skipBack } from '../quadrant/quadrant-actions.ts';

/** What a finger on a video does: a swipe to the left is the next one. Each gesture has a button as well. */
export const quadrantGestures = byQuadrant(
  (quadrant): Gestures => ({
    onTap: () => toggleControls(quadrant),
    onLongPress: () => openQuadrantMenu(quadrant),
    onDoubleTap: () => toggleExpanded(quadrant),
    onSwipe: (direction) => {
      if (direction === 'left') skip(quadrant);
      if (direction === 'right') skipBack(quadrant);
    },
    onPinch: (direction) => {
      if (direction === 'out') expand(quadrant);
      else collapse();
    },
  }),
);
