import type { RefObject } from 'react';
import { lazy, Suspense } from 'react';
import type { Gestures } from '../platform/input/gesture-reader.ts';

interface Props {
  target: RefObject<HTMLElement | null>;
  /** Must be the same object on every render. */
  gestures: Gestures;
}

const GestureListener = lazy(async () => ({
  default: (await import('../platform/input/gestures.ts')).GestureListener,
}));

/**
 * Renders nothing; reports gestures on `target`. The recogniser loads separately, to keep the first
 * files small.
 */
export function GestureArea({ target, gestures }: Props) {
  return (
    <Suspense fallback={null}>
      <GestureListener target={target} gestures={gestures} />
    </Suspense>
  );
}
