import type { RefObject } from 'react';
import { lazy, Suspense, useMemo } from 'react';
import type { Gestures } from '../platform/input/gesture-reader.ts';
import { GestureReader } from '../platform/input/gesture-reader.ts';

interface Props {
  target: RefObject<HTMLElement | null>;
  /** The same object from one drawing to the next. */
  gestures: Gestures;
}

const GestureListener = lazy(async () => ({ default: (await import('../platform/input/gestures.ts')).GestureListener }));

/** Draws nothing and hears the gestures on `target`. What recognises them is loaded by itself, so that no picture waits for it. */
export function GestureArea({ target, gestures }: Props) {
  const reader = useMemo(() => new GestureReader(gestures), [gestures]);
  return (
    <Suspense fallback={null}>
      <GestureListener target={target} reader={reader} />
    </Suspense>
  );
}
