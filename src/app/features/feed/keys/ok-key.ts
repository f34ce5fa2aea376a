import type { KeyboardEvent } from 'react';
import { useMemo } from 'react';
import { remoteKeyOf } from '#app/platform/input/remote-keys.ts';
import { after } from '#app/platform/timers.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { enterControls, showControls } from '../controls/controls-store.ts';
import { toggleExpanded } from '../quadrant/expansion.ts';

const longPressMs = 500;

interface OkKey {
  press(event: KeyboardEvent): void;
  letGo(event: KeyboardEvent): void;
}

/** Any key wakes the quadrant it is pressed on. OK leads among its controls, OK held expands it. */
function createOkKey(quadrant: Quadrant): OkKey {
  let cancelLongPress: (() => void) | null = null;
  return {
    press: (event) => {
      showControls(quadrant, 'key');
      if (!isOkOnVideo(event)) return;
      event.preventDefault();
      if (event.repeat || cancelLongPress) return;
      cancelLongPress = after(longPressMs, () => {
        cancelLongPress = null;
        toggleExpanded(quadrant);
      });
    },
    letGo: (event) => {
      if (!isOkOnVideo(event) || !cancelLongPress) return;
      cancelLongPress();
      cancelLongPress = null;
      enterControls(quadrant);
    },
  };
}

export function useOkKey(quadrant: Quadrant): OkKey {
  return useMemo(() => createOkKey(quadrant), [quadrant]);
}

function isOkOnVideo(event: KeyboardEvent): boolean {
  return event.target === event.currentTarget && (event.key === 'Enter' || remoteKeyOf(event.nativeEvent) === 'ok');
}
